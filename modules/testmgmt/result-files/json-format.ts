import { allureCases } from './formats/allure-reader.ts';
import type { CaseList } from './cases/case-list.ts';
import { ctrfCases } from './formats/ctrf-reader.ts';
import { cucumberCases } from './formats/cucumber-reader.ts';
import { FileFault } from './text/file-fault.ts';
import { JsonDocument, jsonLimit } from './text/json-document.ts';
import { isObject, objectIn, textIn, type JsonObject } from './text/json-values.ts';
import { playwrightCases } from './formats/playwright-reader.ts';

/** JSON whose content decides which format it is. */
export class JsonFormat {
  format = 'json';
  readonly #list: CaseList;
  readonly #document = new JsonDocument();
  #length = 0;

  constructor(list: CaseList) {
    this.#list = list;
  }

  write(piece: string): void {
    this.#length += piece.length;
    if (this.#length > jsonLimit) {
      throw new FileFault(
        `It has more than ${jsonLimit / 1_048_576} MiB, the limit for JSON. Upload it in parts, or let the tool write JUnit XML.`,
      );
    }
    this.#document.write(piece);
  }

  *end(): Generator<void, void> {
    this.#document.end();
    const { roots } = this.#document;
    const whole = roots.length === 1 ? roots[0] : roots;
    const found = formats.find(({ isOf }) => isOf(whole));
    if (!found) throw new FileFault(unknownJson(whole));
    this.format = found.format;
    yield* found.cases(whole, this.#list);
  }
}

interface JsonForm {
  readonly format: string;
  readonly isOf: (whole: unknown) => boolean;
  readonly cases: (whole: unknown, list: CaseList) => Generator<void, void>;
}

const form = <T>(
  format: string,
  isOf: (whole: unknown) => whole is T & unknown,
  cases: (whole: T, list: CaseList) => Generator<void, void>,
): JsonForm => ({
  format,
  isOf,
  *cases(whole, list) {
    if (isOf(whole)) yield* cases(whole, list);
  },
});

const isList = (whole: unknown): whole is readonly JsonObject[] =>
  Array.isArray(whole) && whole.length > 0 && whole.every(isObject);

const isAllure = (result: JsonObject): boolean =>
  textIn(result, 'uuid') !== '' &&
  ('status' in result || 'historyId' in result || 'stage' in result) &&
  'name' in result;

const formats: readonly JsonForm[] = [
  form(
    'ctrf',
    (whole): whole is JsonObject => isObject(whole) && Array.isArray(objectIn(whole, 'results')['tests']),
    ctrfCases,
  ),
  form(
    'playwright',
    (whole): whole is JsonObject =>
      isObject(whole) && isObject(whole['config']) && Array.isArray(whole['suites']),
    playwrightCases,
  ),
  form(
    'allure',
    (whole): whole is JsonObject => isObject(whole) && isAllure(whole),
    (whole, list) => allureCases([whole], list),
  ),
  form(
    'allure',
    (whole): whole is readonly JsonObject[] => isList(whole) && whole.every(isAllure),
    allureCases,
  ),
  form(
    'cucumber',
    (whole): whole is readonly JsonObject[] =>
      isList(whole) &&
      whole.every((feature) => 'elements' in feature || ('uri' in feature && 'keyword' in feature)),
    cucumberCases,
  ),
];

function unknownJson(whole: unknown): string {
  if (
    isList(whole) &&
    whole.some((message) => 'gherkinDocument' in message || 'testCaseStarted' in message)
  ) {
    return 'It has the messages of Cucumber, which are not read. Use its formatter "json" or "junit".';
  }
  return 'It is JSON, but in no form that is known here: CTRF, Playwright, Allure or Cucumber. Let the test tool write JUnit XML.';
}
