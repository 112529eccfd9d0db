import { everyClassification } from '../../rules/classification.ts';

/** Where a column of a table can go. */
export const tableFields = [
  'testName',
  'testDescription',
  'preconditions',
  /** All steps in one cell. */
  'steps',
  'data',
  'expected',
  /** One step in each row. */
  'stepAction',
  'stepData',
  'stepExpected',
  'sectionPath',
  ...everyClassification,
  'squad',
  'estimateSeconds',
  'labels',
  'refs',
  'defects',
  'externalId',
  /** Rows of one test have the same value. */
  'group',
] as const;
export type TableField = (typeof tableFields)[number];

/** A field, `otherLinks` of an export, an own field `cf.KEY`, `ignore`, or `x.NAME`: for the reader of its format alone. */
export type ColumnTarget = TableField | 'otherLinks' | `cf.${string}` | `x.${string}` | 'ignore';

/** Fields with several values, which several columns may have. */
export const fieldsWithLists: ReadonlySet<string> = new Set(['labels', 'refs', 'defects']);

/** A header without case, spaces and punctuation. */
export const plainHeader = (header: string): string => header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The fields of a test that a column gives. */
export const fieldsOfTarget = (target: string): readonly string[] =>
  /^(?:steps|data|expected|step[A-Z].*)$/.test(target)
    ? ['steps']
    : target === 'group' || target === 'externalId' || target === 'ignore' || target.startsWith('x.')
      ? []
      : [target];
