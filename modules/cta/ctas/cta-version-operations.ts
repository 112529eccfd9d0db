import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable, recordId } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { cohortNames } from '../cohorts/cohort-store.ts';
import { operation } from '../base/operation.ts';
import { ctaIdParameter, requireVersion, versionParameter } from '../base/parameters.ts';
import type { CtaVersionRow } from '../base/schema.ts';
import { changeTenants } from '../tenants/tenant-change.ts';
import { requireValid } from './cta-check.ts';
import { savedCtaRecord, savedCtaRecordOf } from './cta-record.ts';
import { ctaFor, ctaToChange, writeFields } from './cta-store.ts';
import { fieldsOf, versionOf, versionsOf } from './cta-version-store.ts';

const versionRecord = closedObject({
  version: Type.Integer(),
  by: Type.Integer(),
  at: Type.Integer(),
  changed: Type.Array(Type.String()),
  copiedFrom: nullable(closedObject({ ctaId: Type.String(), version: Type.Integer() })),
});

const versionRecordOf = (
  version: CtaVersionRow,
  before: CtaVersionRow | undefined,
): Static<typeof versionRecord> => ({
  version: version.version,
  by: version.by,
  at: version.at,
  changed: before === undefined ? [] : changedFields(version, before),
  copiedFrom:
    version.fromCtaId === null || version.fromVersion === null
      ? null
      : { ctaId: String(version.fromCtaId), version: version.fromVersion },
});

/** The names of the fields in which two versions differ. The order of the members of an object means nothing. */
function changedFields(version: CtaVersionRow, before: CtaVersionRow): string[] {
  const earlier = new Map<string, unknown>(Object.entries(before.fields));
  return Object.entries(version.fields)
    .filter(([name, value]) => !Bun.deepEquals(value ?? null, earlier.get(name) ?? null))
    .map(([name]) => name);
}

export const listCtaVersions = operation({
  name: 'list-cta-versions',
  title: 'List the versions of a CTA',
  description:
    'Lists every edit of a CTA, the newest first: who made it, when, which fields it changed, and what a clone or a revert ' +
    'copied. get-cta with a version returns that version in full; revert-cta goes back to it.',
  input: closedObject({ ctaId: ctaIdParameter, ...paging }),
  output: page('versions', versionRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    const { limit, offset } = pageOf(input);
    const cta = await ctaFor(db.q, actor, input.ctaId, 'read');
    const versions: Static<typeof versionRecord>[] = [];
    for await (const { version, before } of versionsOf(db.q, cta, { limit, offset })) {
      versions.push(versionRecordOf(version, before));
    }
    return { total: cta.version, limit, offset, versions };
  },
});

export const revertCta = operation({
  name: 'revert-cta',
  title: 'Go back to an earlier version of a CTA',
  description:
    'Creates a new version of a DRAFT or PAUSED CTA with the fields of an earlier one; the versions in between stay. Checked ' +
    'like an edit: it fails if the earlier version is no longer valid or its behaviour tag no longer exists.',
  input: closedObject({
    ctaId: ctaIdParameter,
    version: versionParameter,
    toVersion: recordId('The version to go back to; list-cta-versions lists them.'),
  }),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, context) => {
    const now = context.clock.now();
    return changeTenants(context, async (q) => {
      const cta = await ctaToChange(q, context.actor, input.ctaId, 'write');
      requireVersion(`CTA "${input.ctaId}"`, 'get-cta', cta.version, input.version);
      const earlier = await versionOf(q, cta.id, input.toVersion);
      const fields = fieldsOf(earlier.fields);
      requireValid(fields);
      const from = { ctaId: cta.id, version: earlier.version };
      const written = await writeFields(q, cta, fields, { by: context.actor.userId, now, from });
      const names = await cohortNames(q, cta.tenantId);
      return { changed: [cta.tenantId], result: savedCtaRecordOf(written, names, now) };
    });
  },
});
