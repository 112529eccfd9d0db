import { split } from '../../rules/name-list.ts';
import { ownKeyOf } from '../tables/column-mapping.ts';
import { estimateOf } from '../tables/table-reader.ts';
import type { DescribedTest } from '../text/described-test.ts';
import { distinct, fieldsOfForeign, foreignFields } from '../text/foreign-fields.ts';
import { stepOfTexts, stepsOfLists } from '../text/numbered-list.ts';
import { readableText } from '../text/readable-text.ts';
import {
  childOf,
  childrenOf,
  textInside,
  xmlRecords,
  type XmlElement,
  type XmlRecord,
  type XmlShape,
} from '../text/section-xml.ts';
import type { ImportFormat, Reading } from '../tables/import-format.ts';

const shape: XmlShape = { roots: ['suite', 'sections'], section: 'section', nameIs: 'child', record: 'case' };

/** Members of a case that mean nothing here. */
const silent = new Set([
  'id',
  'title',
  'custom',
  'type',
  'priority',
  'estimate',
  'references',
  'refs',
  'labels',
]);
const understood = new Set(['preconds', 'steps', 'expected', 'steps_separated', 'steps_case']);

const html = (element: XmlElement | undefined, name: string) => readableText(textInside(element, name));

function stepsOf(custom: XmlElement | undefined): object[] {
  const separated = childOf(custom, 'steps_separated') ?? childOf(custom, 'steps_case');
  const rows = childrenOf(separated, 'step').flatMap(
    (step) => stepOfTexts(html(step, 'content'), html(step, 'additional_info'), html(step, 'expected')) ?? [],
  );
  return rows.length > 0 ? rows : stepsOfLists(html(custom, 'steps'), '', html(custom, 'expected'));
}

/** Own fields: a value is a text, an option `<id/><value/>`, or a list of `<item>` with options. */
function ownTextOf(element: XmlElement): string {
  const items = childrenOf(element, 'item');
  if (items.length > 0) return items.map(ownTextOf).filter(Boolean).join(', ');
  return childOf(element, 'value') ? textInside(element, 'value') : readableText(element.text.trim());
}

function testOf({ element, path }: XmlRecord, row: number, { known, ignore }: Reading): DescribedTest {
  const custom = childOf(element, 'custom');
  const own: Record<string, string> = {};
  const extras = [
    ...element.children.filter(({ name }) => !silent.has(name)),
    ...(custom?.children.filter(({ name }) => !understood.has(name)) ?? []),
  ];
  for (const child of extras) {
    const text = ownTextOf(child);
    const key = ownKeyOf(known, child.name);
    if (text !== '' && key !== undefined) own[key] = text;
    else if (text !== '') ignore(child.name);
  }
  const labels = childOf(element, 'labels');
  const fields = fieldsOfForeign({
    testName: textInside(element, 'title'),
    preconditions: html(custom, 'preconds'),
    steps: stepsOf(custom),
    sectionPath: path,
    priority: textInside(element, 'priority'),
    type: textInside(element, 'type'),
    estimateSeconds: estimateOf(textInside(element, 'estimate')),
    labels: distinct(
      labels && labels.children.length > 0
        ? labels.children.map((label) => textInside(label, 'title') || label.text)
        : split(labels?.text ?? '', ','),
    ),
    refs: distinct(split(`${textInside(element, 'references')},${textInside(element, 'refs')}`, ',')),
    fields: own,
  });
  const externalId = textInside(element, 'id');
  return { row, fields, ...(externalId === '' ? {} : { externalId }) };
}

function* read(reading: Reading): Generator<DescribedTest | undefined, void> {
  for (const field of foreignFields('type', 'estimateSeconds', 'labels', 'refs'))
    if (field !== 'testDescription') reading.supply(field);
  let row = 0;
  for (const record of xmlRecords(reading.content, shape)) yield record && testOf(record, ++row, reading);
}

/** What TestRail's "Export to XML" writes. */
export const testrailXml: ImportFormat = {
  title: 'XML of TestRail',
  source: 'testrail',
  isTable: false,
  recognizes: (head) => head.kind === 'xml' && shape.roots.includes(head.root),
  read,
};
