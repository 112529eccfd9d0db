import { Type } from '@sinclair/typebox';
import { recordId } from '../../../core/base/schema.ts';
import { pagingBy } from '../../../core/tools/page.ts';
import type { GivenFieldValues } from '../rules/field-value.ts';

/**
 * Parameters that many tools share, with their limits (docs/operations.md lists them). Descriptions are short: a client sends all of
 * them to its model.
 */
export const orgId = recordId('From get-orgs-list.');
export const projectId = recordId('From get-projects.');
export const testId = recordId('From get-tests.');
export const runId = recordId('From get-runs.');
export const milestoneId = recordId('From get-milestones.');
export const planId = recordId('From get-plans.');

/** The number of a version of a test. */
export const versionNumber = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** A name that is not blank, stored without surrounding space. */
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

export const recordsPerCall = { minItems: 1, maxItems: 5_000 } as const;

/**
 * The paging of lists that have no `limit` in the interface specification. Clients written from it send none, so they get the largest page,
 * and `nextOffset` when there is more.
 */
export const { paging: listPaging, pageOf: listPageOf } = pagingBy(500);

/** A query of the query language (docs/query.md). @param description short, because every list of tools includes it. */
export const queryText = (description = 'As in get-tests.') => Type.String({ maxLength: 2_000, description });

export const dryRun = Type.Optional(
  Type.Boolean({ default: false, description: 'Only try: nothing is written.' }),
);

/** The values of own fields, of tests and of results. Which there are, only the project knows: requireFieldValues checks them. */
export const fieldValues = Type.Optional(
  Type.Unsafe<GivenFieldValues>(
    Type.Object({}, { additionalProperties: true, description: 'By key of list-fields.' }),
  ),
);
