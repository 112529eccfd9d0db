import { everyClassification, type Classification } from '../../rules/classification.ts';

/** What a reader of XML or JSON found of a test: empty texts and lists are left out. */
interface ForeignTest extends Partial<Record<Classification, string | null>> {
  readonly testName: string;
  readonly testDescription?: string;
  readonly preconditions?: string;
  readonly steps?: readonly object[];
  readonly sectionPath?: readonly string[];
  readonly estimateSeconds?: number | string | undefined;
  readonly labels?: readonly string[];
  readonly refs?: readonly string[];
  /** By key. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The fields that such a file has for every test. */
export const foreignFields = (...more: readonly string[]): readonly string[] => [
  'testName',
  'testDescription',
  'preconditions',
  'steps',
  'sectionPath',
  'priority',
  ...more,
];

/** The unchecked fields of a test, without empty ones. */
export function fieldsOfForeign(test: ForeignTest): Record<string, unknown> {
  const isSet = (value: unknown) =>
    value !== undefined &&
    value !== null &&
    value !== '' &&
    !(Array.isArray(value) && value.length === 0) &&
    !(typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);
  return Object.fromEntries(
    Object.entries(test).filter(([name, value]) => name === 'testName' || isSet(value)),
  );
}

/** Names without repetition, ignoring case. */
export function distinct(names: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const name of names) {
    const plain = name.trim();
    if (plain !== '' && !found.has(plain.toLowerCase())) found.set(plain.toLowerCase(), plain);
  }
  return [...found.values()];
}

export const isClassification = (name: string): name is Classification =>
  everyClassification.some((kind) => kind === name);
