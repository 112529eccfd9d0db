import { describe, expect, test } from 'bun:test';
import { renderTemplates } from './template-rendering.ts';

/*
 * The renderer of the chart's tests, by a table of templates. Each expected text was compared with what Go's text/template and the functions
 * of Helm make of the same template.
 */
const data = {
  Values: { name: 'a', empty: '', none: {}, list: ['x'], map: { b: 'c' }, two: 2, on: true, off: false },
};
const named = '{{- define "n.one" -}}\nhas: {{ .Values.name }}\n{{- end }}';
const rendered = (template: string) =>
  renderTemplates(
    new Map([
      ['one', template],
      ['_names', named],
    ]),
    data,
  ).get('one');

test.each([
  ['a {{ .Values.name }} b', 'a a b'],
  ['a \n {{- .Values.name -}} \n b', 'aab'],
  ['a {{- /* why */ -}} b', 'ab'],
  ['{{ .Values.name | quote }}', '"a"'],
  ['{{ .Values.two | quote }}{{ .Values.on | quote }}', '"2""true"'],
  ['{{ .Values.empty | default .Values.name }}', 'a'],
  ['{{ if .Values.none }}yes{{ else }}no{{ end }}', 'no'],
  ['{{ if .Values.off }}1{{ else if eq .Values.name "b" }}2{{ else if ne .Values.name "b" }}3{{ end }}', '3'],
  ['{{ if gt (int .Values.two) 1 }}many{{ end }}{{ if gt (int .Values.two) 2 }}more{{ end }}', 'many'],
  ['{{ if not .Values.off }}{{ div .Values.two 2 }}{{ end }}', '1'],
  ['{{ with .Values.map }}{{ .b }}{{ end }}{{ with .Values.empty }}never{{ end }}', 'c'],
  ['{{ with .Values.empty }}never{{ else }}{{ .Values.name }}{{ end }}', 'a'],
  ['k:{{ toYaml .Values.map | nindent 2 }}', 'k:\n  b: c'],
  ['k:\n  {{- toYaml .Values.list | nindent 2 }}', 'k:\n  - x'],
  ['k:\n  {{- include "n.one" . | nindent 2 }}', 'k:\n  has: a'],
])('%s', (template, expected) => {
  expect(rendered(template)).toBe(expected);
});

describe('refuses', () => {
  test.each([
    ['{{ .Values.nothing }}', /there is no \.Values\.nothing/],
    ['{{ .Values.name.deeper }}', /there is no \.Values\.name\.deeper/],
    ['{{ .Values.map }}', /has no text/],
    ['{{ range .Values.list }}{{ . }}{{ end }}', /does not know \{\{ range/],
    ['{{ template "n.one" }}', /does not know \{\{ template/],
    ['{{ $x := 1 }}', /does not know "\$"/],
    ['{{ upper .Values.name }}', /does not know the function upper/],
    ['{{ quote .Values.name .Values.name }}', /takes 1/],
    ['{{ include "n.two" . }}', /no template n\.two/],
    ['{{ if .Values.on }}', /has no end/],
    ['{{ end }}', /closes nothing/],
    ['{{ if .Values.on }}{{ else with .Values.map }}{{ end }}', /does not know \{\{ else with/],
    ['{{ .Values.name', /without/],
    ['{{ .Values.name .Values.name }}', /unexpected/],
    ['{{ if eq .Values.two 2 }}{{ end }}', /compares texts only/],
  ])('%s', (template, message) => {
    expect(() => rendered(template)).toThrow(message);
  });
});
