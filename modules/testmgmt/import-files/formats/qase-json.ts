import { isObject } from '../../../../core/json/json-scan.ts';
import { JsonTree } from '../../result-files/text/json-document.ts';
import { JsonReader, type JsonHandler } from '../../result-files/text/json-reader.ts';
import { listIn, objectsIn, textIn, type JsonObject } from '../../result-files/text/json-values.ts';
import { everyClassification } from '../../rules/classification.ts';
import { ownKeyOf } from '../tables/column-mapping.ts';
import { valueOf } from '../tables/table-reader.ts';
import { InvalidImport, type DescribedTest } from '../text/described-test.ts';
import { distinct, fieldsOfForeign, foreignFields } from '../text/foreign-fields.ts';
import { stepOfTexts } from '../text/numbered-list.ts';
import type { ImportFormat, Reading } from '../tables/import-format.ts';
import { qaseValues } from './qase-values.ts';

/** Values of one case. */
const tokensPerCase = 12_000;
/** Levels of suites, two for each, and of what is in a case. */
const maxDepth = 100;
const stepLength = 16 * 1024;
const spaces = 1_000_000;

interface Place {
  /** The member of its parent that it is; of an item of a list the member that the list is. */
  readonly member: string;
  readonly isList: boolean;
  title: string;
}

interface Case {
  readonly value: unknown;
  readonly path: readonly string[];
}

/** Collects the cases of nested suites: `{ suites: [{ title, suites, cases: […] }] }`. */
class Cases implements JsonHandler {
  readonly #open: Place[] = [];
  readonly #tree = new JsonTree();
  #key = '';
  #tokens = 0;
  #cases: Case[] = [];
  /** Whether it has a list of suites or cases at all. */
  isFound = false;

  open(isList: boolean): void {
    const parent = this.#open.at(-1);
    if (this.#tree.depth > 0 || (parent?.isList === true && parent.member === 'cases')) {
      this.#count();
      this.#tree.open(isList);
      return;
    }
    const member = parent?.isList === true ? parent.member : this.#key;
    if (isList && (member === 'cases' || member === 'suites')) this.isFound = true;
    this.#open.push({ member, isList, title: '' });
  }

  key(name: string): void {
    if (this.#tree.depth === 0) this.#key = name;
    else {
      this.#count();
      this.#tree.key(name);
    }
  }

  value(value: string | number | boolean | null): void {
    if (this.#tree.depth > 0) {
      this.#count();
      this.#tree.value(value);
      return;
    }
    const place = this.#open.at(-1);
    if (place?.isList === false && place.member === 'suites' && this.#key === 'title')
      place.title = String(value ?? '');
  }

  close(): void {
    if (this.#tree.depth === 0) {
      this.#open.pop();
      return;
    }
    this.#tree.close();
    if (this.#tree.depth > 0) return;
    const path = this.#open.map(({ title }) => title.trim()).filter((title) => title !== '');
    this.#cases.push({ value: this.#tree.roots.pop(), path });
    this.#tokens = 0;
  }

  taken(): readonly Case[] {
    const cases = this.#cases;
    this.#cases = [];
    return cases;
  }

  #count(): void {
    if (++this.#tokens > tokensPerCase)
      throw new InvalidImport(`A case has more than ${tokensPerCase} values.`);
  }
}

/** Nested steps follow the step that they are in. */
function* stepsOf(steps: readonly JsonObject[]): Generator<object, void> {
  for (const one of steps) {
    const step = stepOfTexts(textIn(one, 'action'), textIn(one, 'data'), textIn(one, 'expected_result'));
    if (step) yield step;
    yield* stepsOf(objectsIn(one, 'steps'));
  }
}

const words: Readonly<Record<string, string>> = { automationStatus: 'automation' };

/** Members that are in every case and have no field here; those with another value than this are named. */
const usual: Readonly<Record<string, readonly unknown[]>> = {
  postconditions: [],
  severity: ['undefined', 'normal'],
  behavior: ['undefined'],
  layer: ['unknown'],
  status: ['actual'],
  is_flaky: ['no'],
  is_muted: ['no'],
  milestone: [],
  steps_type: ['classic', 'gherkin'],
};

const textOfValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(textOfValue).join(', ')
    : value === null || value === undefined || isObject(value)
      ? ''
      : String(value);

function testOf({ value, path }: Case, row: number, { known, ignore }: Reading): DescribedTest {
  if (!isObject(value)) return { row, fields: value };
  const own: Record<string, string> = {};
  const note = (name: string, text: string, isUsual: boolean) => {
    const key = ownKeyOf(known, name);
    if (text !== '' && key !== undefined) own[key] = text;
    else if (text !== '' && !isUsual) ignore(name);
  };
  for (const [name, values] of Object.entries(usual))
    note(name, textOfValue(value[name]), values.includes(value[name]));
  for (const field of objectsIn(value, 'custom_fields'))
    note(
      textIn(field, 'title') || textIn(field, 'name') || textOfValue(field['id']),
      textOfValue(field['value']),
      false,
    );
  if (listIn(value, 'params').length > 0 || isObject(value['params'])) ignore('params');
  const kinds = everyClassification.flatMap((kind) => {
    const given = valueOf(kind, textOfValue(value[words[kind] ?? kind]), qaseValues);
    return given === null ? [] : [[kind, given] as const];
  });
  const fields = fieldsOfForeign({
    testName: textIn(value, 'title'),
    testDescription: textIn(value, 'description'),
    preconditions: textIn(value, 'preconditions'),
    steps: [...stepsOf(objectsIn(value, 'steps'))],
    sectionPath: path,
    labels: distinct(
      listIn(value, 'tags').map((tag) => (isObject(tag) ? textIn(tag, 'title') : textOfValue(tag))),
    ),
    ...Object.fromEntries(kinds),
    fields: own,
  });
  const externalId = textOfValue(value['id']).trim();
  return { row, fields, ...(externalId === '' ? {} : { externalId }) };
}

function* read(reading: Reading): Generator<DescribedTest | undefined, void> {
  const { content, supply } = reading;
  for (const field of foreignFields('type', 'automationStatus', 'labels')) supply(field);
  const cases = new Cases();
  const reader = new JsonReader(cases, { depth: maxDepth, spaces });
  const text = content.startsWith('\ufeff') ? content.slice(1) : content;
  let row = 0;
  for (let at = 0; at < text.length; at += stepLength) {
    reader.write(text.slice(at, at + stepLength));
    for (const one of cases.taken()) yield testOf(one, ++row, reading);
    yield undefined;
  }
  reader.end();
  for (const one of cases.taken()) yield testOf(one, ++row, reading);
  if (!cases.isFound) throw new InvalidImport('It has no "suites" and no "cases", as an export of Qase has.');
}

/** What Qase exports as JSON. */
export const qaseJson: ImportFormat = {
  title: 'JSON of Qase',
  source: 'qase',
  isTable: false,
  recognizes: (head) => head.kind === 'json' && /^\s*\{\s*"(?:suites|cases)"\s*:/.test(head.text),
  read,
};
