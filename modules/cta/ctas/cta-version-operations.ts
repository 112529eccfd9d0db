import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { recordId } from '../../../core/schema.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { cohortNames } from '../cohorts/cohort-store.ts';
import { requireValid, warningsOf } from './cta-check.ts';
import { ctaFor, fieldsOf, pageOfStatusChanges, versionsOf, requireVersion, versionOf, wholeCta, writeFields } from './cta-store.ts';
import type { CtaVersionRow, CtaFields } from '../schema.ts';
import { closed, ctaIdParameter, ctaRecord, nullable, savedCtaRecord, statusWord, toolset, versionParameter } from '../parameters.ts';
import { raiseVersion } from '../tenants/tenant-store.ts';

export const getCta = operation({
  name: 'get-cta',
  toolset,
  title: 'Read a CTA',
  description:
    'Answers one CTA whole, with its rule as it was given; with "version", as an earlier edit left it. list-ctas finds CTAs.',
  input: Type.Object(
    {
      ctaId: ctaIdParameter,
      version: Type.Optional(recordId('An earlier version; the newest unless given.')),
    },
    closed,
  ),
  output: ctaRecord,
  access: member('read'),
  effect: 'read',
  handler: async ({ ctaId, version }, { actor, db, clock }) => {
    const cta = await ctaFor(db.q, actor, ctaId, 'read');
    if (version === undefined || version === cta.version) return wholeCta(cta, clock.now());
    const earlier = await versionOf(db.q, cta.id, version);
    return { ...wholeCta({ ...cta, ...earlier.fields, version, updatedAt: earlier.at }, clock.now()) };
  },
});

/** The fields in which two versions differ. */
const changedFields = ({ fields }: CtaVersionRow, before: CtaVersionRow | undefined): string[] =>
  before === undefined
    ? []
    : (Object.keys(fields) as (keyof CtaFields)[]).filter(
        (name) => JSON.stringify(fields[name]) !== JSON.stringify(before.fields[name]),
      );

const versionRecord = Type.Object(
  {
    version: Type.Integer(),
    by: Type.Integer(),
    at: Type.Integer(),
    changed: Type.Array(Type.String()),
    copiedFrom: nullable(Type.Object({ ctaId: Type.String(), version: Type.Integer() }, closed)),
  },
  closed,
);

export const listCtaVersions = operation({
  name: 'list-cta-versions',
  toolset,
  title: 'List the versions of a CTA',
  description:
    'Lists every edit of a CTA, the newest first: who made it, when, which fields it changed, and what a clone or a reversal ' +
    'copied. get-cta with a version answers it whole; revert-cta goes back to it.',
  input: Type.Object({ ctaId: ctaIdParameter, ...paging }, closed),
  output: page('versions', versionRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    const { limit, offset } = pageOf(input);
    const cta = await ctaFor(db.q, actor, input.ctaId, 'read');
    const versions: Static<typeof versionRecord>[] = [];
    for await (const { version, before } of versionsOf(db.q, cta, { limit, offset })) {
      versions.push({
        version: version.version,
        by: version.by,
        at: version.at,
        changed: changedFields(version, before),
        copiedFrom:
          version.fromCtaId === null || version.fromVersion === null
            ? null
            : { ctaId: String(version.fromCtaId), version: version.fromVersion },
      });
    }
    return { total: cta.version, limit, offset, versions };
  },
});

export const revertCta = operation({
  name: 'revert-cta',
  toolset,
  title: 'Go back to an earlier version of a CTA',
  description:
    'Makes a new version of a DRAFT or PAUSED CTA with the fields of an earlier one; nothing in between is lost. Checked as ' +
    'an edit is: what may no longer be saved, or names a behaviour tag that is gone, is refused.',
  input: Type.Object(
    {
      ctaId: ctaIdParameter,
      version: versionParameter,
      toVersion: recordId('The version to go back to; list-cta-versions lists them.'),
    },
    closed,
  ),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'update',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const now = clock.now();
    const made = await db.tx(async (q) => {
      const cta = await ctaFor(q, actor, input.ctaId, 'write');
      requireVersion(cta, input.version);
      const earlier = await versionOf(q, cta.id, input.toVersion);
      const fields = fieldsOf(earlier.fields);
      requireValid(fields);
      const from = { ctaId: cta.id, version: earlier.version };
      const written = await writeFields(q, cta, fields, { by: actor.userId, now, from });
      await raiseVersion(q, cta.tenantId);
      return { cta: written, cohorts: await cohortNames(q, cta.tenantId) };
    });
    afterCommit(() => catalogues(host).forget(made.cta.tenantId));
    return { ...wholeCta(made.cta, now), warnings: warningsOf(made.cta, made.cohorts, now) };
  },
});

export const listCtaStatusChanges = operation({
  name: 'list-cta-status-changes',
  toolset,
  title: 'List the status changes of a CTA',
  description:
    'Lists how a CTA came to its status, the oldest first: from, to, when (epoch milliseconds), and who; "by" is null for ' +
    'what its startTime or endTime did.',
  input: Type.Object({ ctaId: ctaIdParameter, ...paging }, closed),
  output: page(
    'changes',
    Type.Object(
      {
        from: statusWord('The status before.'),
        to: statusWord('The status after.'),
        at: Type.Integer(),
        by: nullable(Type.Integer()),
      },
      closed,
    ),
  ),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    const { limit, offset } = pageOf(input);
    const cta = await ctaFor(db.q, actor, input.ctaId, 'read');
    const { total, rows } = await pageOfStatusChanges(db.q, cta.id, { limit, offset });
    return { total, limit, offset, changes: rows.map(({ from, to, at, by }) => ({ from, to, at, by })) };
  },
});
