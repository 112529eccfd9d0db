import { asc, eq, inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { attachments, blobs, resultSteps } from '../base/evidence-schema.ts';
import { resultFieldValues } from '../base/field-schema.ts';
import type { FieldValues } from '../rules/field-value.ts';
import type { StepResult } from '../rules/step-result.ts';

/** What is kept beside a result. */
interface ResultEvidence {
  readonly stepResults?: StepResult[];
  readonly fields?: FieldValues;
  readonly attachments?: Array<{
    readonly attachmentId: number;
    readonly fileName: string;
    readonly mediaType: string;
    readonly size: number;
    readonly step: number | null;
  }>;
}

/** What is kept beside these results; a result without any is absent. */
export async function evidenceOf(
  q: Query,
  resultIds: readonly number[],
): Promise<ReadonlyMap<number, ResultEvidence>> {
  const found = new Map<number, ResultEvidence>();
  if (resultIds.length === 0) return found;
  const add = (id: number, evidence: ResultEvidence) => found.set(id, { ...found.get(id), ...evidence });
  const steps = await q
    .select()
    .from(resultSteps)
    .where(inArray(resultSteps.resultId, [...resultIds]));
  for (const { resultId, steps: stepResults } of steps) add(resultId, { stepResults: [...stepResults] });
  const values = await q
    .select()
    .from(resultFieldValues)
    .where(inArray(resultFieldValues.resultId, [...resultIds]));
  for (const { resultId, fields } of values) add(resultId, { fields });
  const files = await q
    .select({
      resultId: attachments.resultId,
      attachmentId: attachments.id,
      fileName: attachments.fileName,
      mediaType: blobs.mediaType,
      size: blobs.size,
      step: attachments.step,
    })
    .from(attachments)
    .innerJoin(blobs, eq(blobs.id, attachments.blobId))
    .where(inArray(attachments.resultId, [...resultIds]))
    .orderBy(asc(attachments.id));
  for (const { resultId, ...file } of files)
    if (resultId !== null)
      add(resultId, { attachments: [...(found.get(resultId)?.attachments ?? []), file] });
  return found;
}
