import type { TestRecord } from '../cases/case-record.ts';
import { everyClassification, idFieldOf } from '../rules/classification.ts';

type Compared = Omit<TestRecord, 'refs' | 'defects' | 'otherLinks'>;

/** A field in which two versions of a test differ, by parameter name. */
interface FieldDifference {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  /** What the ids stand for today; absent if that is gone, or the field has no ids. */
  readonly fromName?: string;
  readonly toName?: string;
}

interface Shown {
  readonly value: unknown;
  readonly name?: string | undefined;
}

/** The values of a test by parameter name, without its steps. */
const shownOf = (record: Compared): Readonly<Record<string, Shown>> => ({
  testName: { value: record.testName },
  testDescription: { value: record.testDescription },
  preconditions: { value: record.preconditions },
  sectionId: { value: record.sectionId, name: record.sectionPath.join(' > ') || undefined },
  ...Object.fromEntries(
    everyClassification.map((kind) => [
      idFieldOf[kind],
      { value: record[idFieldOf[kind]], name: record[kind] ?? undefined },
    ]),
  ),
  squadId: { value: record.squadId, name: record.squad ?? undefined },
  estimateSeconds: { value: record.estimateSeconds },
  fields: { value: record.fields ?? {} },
  labels: {
    value: record.labels.map(({ labelId }) => labelId),
    name: record.labels.map(({ labelName }) => labelName).join(', ') || undefined,
  },
  deleted: { value: record.deletedAt !== null },
});

/** The fields in which two versions of a test differ. Steps are compared by `differenceOfSteps`. */
export function differenceOfRecords(older: Compared, newer: Compared): readonly FieldDifference[] {
  const [before, after] = [shownOf(older), shownOf(newer)];
  return Object.entries(after).flatMap(([field, to]): FieldDifference[] => {
    const from = before[field] ?? { value: null };
    if (JSON.stringify(from.value) === JSON.stringify(to.value)) return [];
    return [
      {
        field,
        from: from.value,
        to: to.value,
        ...(from.name === undefined ? {} : { fromName: from.name }),
        ...(to.name === undefined ? {} : { toName: to.name }),
      },
    ];
  });
}
