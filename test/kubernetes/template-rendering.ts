import { stringify } from 'yaml';
import {
  parseTemplate,
  type ParsedTemplate,
  type TemplateNode,
  type TemplateTerm,
  type TemplateValue,
} from './template-parsing.ts';

type TemplateFunction = (...given: readonly TemplateValue[]) => TemplateValue;

const isMap = (value: TemplateValue): value is { readonly [key: string]: TemplateValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What counts as empty for `if`, `with` and `default`. */
function isEmpty(value: TemplateValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === '' || value === 0 || value === false;
}

function textOf(value: TemplateValue): string {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  // Helm has read numbers as floating point, and prints large ones as 1e+06.
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  throw new Error(`${JSON.stringify(value)} has no text that is the same in Helm`);
}

function numberOf(value: TemplateValue): number {
  if (typeof value !== 'number') throw new Error(`${JSON.stringify(value)} is not a number`);
  return value;
}

function areSame(one: TemplateValue, other: TemplateValue): boolean {
  if (typeof one !== 'string' || typeof other !== 'string')
    throw new Error('this renderer compares texts only');
  return one === other;
}

const functions: Readonly<Record<string, { readonly takes: number; readonly run: TemplateFunction }>> = {
  eq: { takes: 2, run: (one = null, other = null) => areSame(one, other) },
  ne: { takes: 2, run: (one = null, other = null) => !areSame(one, other) },
  not: { takes: 1, run: (value = null) => isEmpty(value) },
  gt: { takes: 2, run: (one = null, other = null) => numberOf(one) > numberOf(other) },
  int: { takes: 1, run: (value = null) => Math.trunc(numberOf(value)) },
  div: { takes: 2, run: (one = null, other = null) => Math.trunc(numberOf(one) / numberOf(other)) },
  default: { takes: 2, run: (usual = null, given = null) => (isEmpty(given) ? usual : given) },
  quote: { takes: 1, run: (value = null) => JSON.stringify(textOf(value)) },
  toYaml: { takes: 1, run: (value = null) => stringify(value, { lineWidth: 0 }).trimEnd() },
  nindent: {
    takes: 2,
    run: (by = null, text = null) => `\n${textOf(text).replace(/^/gm, ' '.repeat(numberOf(by)))}`,
  },
};

/**
 * Renders templates as Helm does, with the names that any of them defines.
 * @throws for a value that is not there, and for a function that it does not know.
 */
export function renderTemplates(
  sources: ReadonlyMap<string, string>,
  data: { readonly [key: string]: TemplateValue },
): ReadonlyMap<string, string> {
  const parsed = new Map<string, ParsedTemplate>();
  for (const [name, source] of sources) parsed.set(name, parseTemplate(source));
  const defined = new Map([...parsed.values()].flatMap((one) => [...one.defined]));

  function valueOf(term: TemplateTerm, dot: TemplateValue): TemplateValue {
    if (term.kind === 'literal') return term.value;
    if (term.kind === 'path') {
      return term.keys.reduce<TemplateValue>((value, key) => {
        const next = isMap(value) ? value[key] : undefined;
        if (next === undefined) throw new Error(`there is no .${term.keys.join('.')}`);
        return next;
      }, dot);
    }
    const given = term.given.map((one) => valueOf(one, dot));
    if (term.name === 'include') {
      const [name, inner] = given;
      const nodes = typeof name === 'string' ? defined.get(name) : undefined;
      if (!nodes || inner === undefined || given.length !== 2)
        throw new Error(`there is no template ${String(name)}`);
      return render(nodes, inner);
    }
    const called = functions[term.name];
    if (!called) throw new Error(`this renderer does not know the function ${term.name}`);
    if (given.length !== called.takes) throw new Error(`${term.name} takes ${called.takes} values`);
    return called.run(...given);
  }

  function render(nodes: readonly TemplateNode[], dot: TemplateValue): string {
    return nodes
      .map((node) => {
        if (node.kind === 'text') return node.text;
        const value = valueOf(node.term, dot);
        if (node.kind === 'print') return textOf(value);
        if (isEmpty(value)) return render(node.otherwise, dot);
        return render(node.body, node.kind === 'with' ? value : dot);
      })
      .join('');
  }

  return new Map([...parsed].map(([name, { nodes }]) => [name, render(nodes, data)]));
}
