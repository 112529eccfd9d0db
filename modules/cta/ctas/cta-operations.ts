import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { fail } from '../../../core/errors.ts';
import { operation } from '../../../core/tools/operation.ts';
import { recordId, words } from '../../../core/schema.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { cohortNames } from '../cohorts/cohort-store.ts';
import { requireValid, warningsOf } from './cta-check.ts';
import { ctaFor, fieldsOf, hasTag, insertCta, requireVersion, versionOf, wholeCta, writeFields, writeStatus } from './cta-store.ts';
import { refuse } from '../errors.ts';
import { illegalStatusChange, statusAt } from '../rules/lifecycle.ts';
import { closed, ctaIdParameter, ctaRecord, nameText, ownerParameter, savedCtaRecord, statusWord, tagName, tenantOf, tenantParameter, timeOf, toolset, versionParameter } from '../parameters.ts';
import { RuleInput } from '../rules/rule.ts';
import type { CtaFields } from '../schema.ts';
import { claimTenant, publishGrant, raiseVersion } from '../tenants/tenant-store.ts';

const nameParameter = nameText('What people call the CTA; apps do not see it.');
const optionalFields = {
  description: Type.Optional(Type.String({ maxLength: 20_000, description: 'What the CTA is for.' })),
  tags: Type.Optional(
    Type.Array(nameText('A word to find it by.'), { maxItems: 100, description: 'Words to find it by.' }),
  ),
  team: Type.Optional(nameText('Who looks after it.')),
  startTime: Type.Optional(timeOf('Apps get it from then on; absent is as soon as it is LIVE.')),
  endTime: Type.Optional(timeOf('Apps get it until then; absent is no end.')),
  behaviourTagName: Type.Optional(
    tagName('The behaviour tag whose limits it shares; create-behaviour-tag makes one.'),
  ),
};

const clearable = ['team', 'startTime', 'endTime', 'behaviourTagName'] as const;

/** What was given of the fields, as it is stored. */
function givenFields(
  input: Partial<
    Static<ReturnType<typeof Type.Object<typeof optionalFields & { name: typeof nameParameter }>>>
  > & {
    readonly rule?: RuleInput;
  },
): Partial<CtaFields> {
  const { name, description, tags, team, startTime, endTime, behaviourTagName, rule } = input;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(description !== undefined && { description: description.trim() }),
    ...(tags !== undefined && { tags: [...new Set(tags.map((tag) => tag.trim()))] }),
    ...(team !== undefined && { team: team.trim() }),
    ...(startTime !== undefined && { startTime }),
    ...(endTime !== undefined && { endTime }),
    ...(behaviourTagName !== undefined && { behaviourTagName }),
    ...(rule !== undefined && { rule }),
  };
}

const blank = {
  description: '',
  tags: [],
  team: null,
  startTime: null,
  endTime: null,
  behaviourTagName: null,
};

export const createCta = operation({
  name: 'create-cta',
  toolset,
  title: 'Create a CTA',
  description:
    'Creates a call to action as a DRAFT: who sees it, when, how often, and what the app does on which events. The rule is ' +
    'checked and refused with the place of each fault; "warnings" names what was saved and may surprise. No app gets it ' +
    'before set-cta-status makes it LIVE. simulate-cta shows what it will do.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      orgId: ownerParameter,
      name: nameParameter,
      ...optionalFields,
      rule: RuleInput,
    },
    closed,
  ),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const { name, rule } = input;
    const fields: CtaFields = { ...blank, rule, name, ...givenFields(input) };
    requireValid(fields);
    const tenantId = tenantOf(input);
    const now = clock.now();
    const made = await db.tx(async (q) => {
      await claimTenant(q, actor, { tenantId, orgId: input.orgId }, now);
      const cta = await insertCta(q, tenantId, fields, { by: actor.userId, now });
      await raiseVersion(q, tenantId);
      return { cta, cohorts: await cohortNames(q, tenantId) };
    });
    afterCommit(() => catalogues(host).forget(tenantId));
    return { ...wholeCta(made.cta, now), warnings: warningsOf(fields, made.cohorts, now) };
  },
});

export const updateCta = operation({
  name: 'update-cta',
  toolset,
  title: 'Edit a CTA',
  description:
    'Changes the given fields of a CTA that is DRAFT or PAUSED, the rule as a whole, and makes a new version; fields not ' +
    'given stay. Refuses when the CTA is no longer at the version that the change was made from. A LIVE CTA must be ' +
    'PAUSED first (set-cta-status). Earlier versions: list-cta-versions, revert-cta.',
  input: Type.Object(
    {
      ctaId: ctaIdParameter,
      version: versionParameter,
      name: Type.Optional(nameParameter),
      ...optionalFields,
      rule: Type.Optional(RuleInput),
      clear: Type.Optional(
        Type.Array(words(clearable, { description: 'A field that is to have no value.' }), {
          maxItems: clearable.length,
          uniqueItems: true,
          description: `Fields that are to have no value: ${clearable.join(', ')}.`,
        }),
      ),
    },
    closed,
  ),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'update',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const { ctaId, version, clear = [] } = input;
    const given = givenFields(input);
    if (Object.keys(given).length === 0 && clear.length === 0) {
      throw refuse.NOTHING_TO_CHANGE('No field to change was given.');
    }
    const both = clear.find((field) => given[field] !== undefined);
    if (both) throw fail.INVALID_REQUEST(`${both} is given and named in clear.`, { cause: 'clear' });
    const cleared = Object.fromEntries(clear.map((field) => [field, null]));
    const now = clock.now();
    const made = await db.tx(async (q) => {
      const cta = await ctaFor(q, actor, ctaId, 'write');
      requireVersion(cta, version);
      const fields: CtaFields = { ...fieldsOf(cta), ...given, ...cleared };
      requireValid(fields);
      const written = await writeFields(q, cta, fields, { by: actor.userId, now });
      await raiseVersion(q, cta.tenantId);
      return { cta: written, cohorts: await cohortNames(q, cta.tenantId) };
    });
    afterCommit(() => catalogues(host).forget(made.cta.tenantId));
    return { ...wholeCta(made.cta, now), warnings: warningsOf(made.cta, made.cohorts, now) };
  },
});

export const cloneCta = operation({
  name: 'clone-cta',
  toolset,
  title: 'Copy a CTA',
  description:
    'Makes a new DRAFT in the same tenant with the fields of a CTA in any status, of its newest version or an earlier one. ' +
    'Users start anew with the copy: their state belongs to the original. A behaviour tag that is gone is left out.',
  input: Type.Object(
    {
      ctaId: ctaIdParameter,
      version: Type.Optional(recordId('The version to copy; the newest unless given.')),
      name: Type.Optional(nameText('What the copy is called; "Copy of …" unless given.')),
    },
    closed,
  ),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const now = clock.now();
    const made = await db.tx(async (q) => {
      const original = await ctaFor(q, actor, input.ctaId, 'write');
      const { version, fields } = await versionOf(q, original.id, input.version ?? original.version);
      const named = { ...fields, name: input.name?.trim() ?? `Copy of ${fields.name}`.slice(0, 255) };
      const from = { ctaId: original.id, version };
      const edit = { by: actor.userId, now, from };
      const tagIsThere = await hasTag(q, original.tenantId, fields.behaviourTagName);
      const kept = tagIsThere ? named : { ...named, behaviourTagName: null };
      const copied = await insertCta(q, original.tenantId, kept, edit);
      await raiseVersion(q, original.tenantId);
      return { cta: copied, lost: fields.behaviourTagName, cohorts: await cohortNames(q, original.tenantId) };
    });
    afterCommit(() => catalogues(host).forget(made.cta.tenantId));
    const lost = made.lost !== null && made.cta.behaviourTagName === null;
    return {
      ...wholeCta(made.cta, now),
      warnings: [
        ...warningsOf(made.cta, made.cohorts, now),
        ...(lost
          ? [{ path: 'behaviourTagName', message: 'The behaviour tag is gone and was left out.' }]
          : []),
      ],
    };
  },
});

export const setCtaStatus = operation({
  name: 'set-cta-status',
  toolset,
  title: 'Move a CTA to another status',
  description:
    'DRAFT may become LIVE, SCHEDULED or TERMINATED; SCHEDULED becomes LIVE at its startTime by itself, or PAUSED or DRAFT; ' +
    "LIVE may become PAUSED (hidden, its users' state kept), CONCLUDED or TERMINATED; PAUSED may become LIVE, SCHEDULED, " +
    'CONCLUDED or TERMINATED. CONCLUDED and TERMINATED are final. A LIVE CTA concludes at its endTime by itself. ' +
    'set-cta-kill-switch hides all CTAs of a tenant or a behaviour tag at once. ' +
    `Needs the role admin or the token scope ${publishGrant}; members may end a DRAFT.`,
  input: Type.Object({ ctaId: ctaIdParameter, status: statusWord('The status to move to.') }, closed),
  output: ctaRecord,
  access: member('write'),
  effect: 'update',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const now = clock.now();
    const moved = await db.tx(async (q) => {
      const cta = await ctaFor(q, actor, input.ctaId, 'write');
      // What no app ever got may be given up by whoever drafted it.
      const isGivenUp = input.status === 'TERMINATED' && statusAt(cta, now) === 'DRAFT';
      if (!isGivenUp) await ctaFor(q, actor, input.ctaId, 'publish');
      const illegal = illegalStatusChange(cta, input.status, now);
      if (illegal) {
        throw refuse.ILLEGAL_STATUS_CHANGE(
          `CTA "${input.ctaId}" cannot become ${input.status}. ${illegal.message}`,
          { cause: illegal.field },
        );
      }
      const written = await writeStatus(q, cta, input.status, { by: actor.userId, now });
      if (!written) throw fail.CONFLICT(`CTA "${input.ctaId}" was moved by somebody else meanwhile.`);
      await raiseVersion(q, cta.tenantId);
      return written;
    });
    afterCommit(() => catalogues(host).forget(moved.tenantId));
    return wholeCta(moved, now);
  },
});
