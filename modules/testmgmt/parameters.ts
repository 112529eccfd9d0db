import { Type } from '@sinclair/typebox';
import { pagingBy } from '../../core/tools/page.ts';
import { recordId } from '../../core/schema.ts';

/**
 * Parameters that many tools share, with their limits (docs/operations.md lists them). Descriptions are a few words: a
 * client sends all of them to its model.
 */
export const orgId = recordId('From get-orgs-list.');
export const projectId = recordId('From get-projects.');
export const testId = recordId('From get-tests.');
export const runId = recordId('From get-runs.');

/** A name that is not blank. It is stored without the space around it. */
export const nameText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description });

export const longText = (description: string) => Type.String({ maxLength: 20_000, description });

export const commentText = Type.String({ maxLength: 10_000, description: 'Why.' });

export const idList = (description: string) =>
  Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
    minItems: 1,
    maxItems: 100_000,
    description,
  });

/** How many records one bulk call takes. */
export const recordsPerCall = { minItems: 1, maxItems: 5_000 } as const;

/**
 * The paging of lists for which the interface specification has no `limit`: a client written from it asks for none, so it gets
 * as much as one answer may hold, and `nextOffset` when that is not all.
 */
export const { paging: listPaging, pageOf: listPageOf } = pagingBy(500);
