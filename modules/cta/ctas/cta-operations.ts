import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { cohortNames } from '../cohorts/cohort-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import {
  clearParameter,
  ctaIdParameter,
  nameText,
  ownerParameter,
  requireVersion,
  tenantOf,
  tenantParameter,
  versionParameter,
} from '../base/parameters.ts';
import type { Experiment } from '../rules/experiment.ts';
import { isEditable, statusAt } from '../rules/lifecycle.ts';
import { RuleInput } from '../rules/rule.ts';
import type { CtaFields } from '../base/schema.ts';
import { changeTenant, changeTenants } from '../tenants/tenant-change.ts';
import { requireValid } from './cta-check.ts';
import { clearableFields, givenFields, ctaNameParameter, optionalFields } from './cta-parameters.ts';
import { ctaRecord, ctaRecordOf, savedCtaRecord, savedCtaRecordOf } from './cta-record.ts';
import { ctaFor, ctaToChange, hasTag, insertCta, writeFields } from './cta-store.ts';
import { fieldsOf, versionOf } from './cta-version-store.ts';
import { hasHoldout, onlyCoverageGrows } from './experiment-edit-store.ts';

const emptyFields = {
  description: '',
  tags: [],
  team: null,
  startTime: null,
  endTime: null,
  behaviourTagName: null,
  experiment: null,
};

export const createCta = operation({
  name: 'create-cta',
  title: 'Create a CTA',
  description:
    'Creates a call to action as a DRAFT: who sees it, when, how often, and what the app does on which events. An invalid rule is ' +
    'rejected with the path of each mistake; "warnings" lists what was saved and may surprise. Apps get it only after ' +
    'set-cta-status makes it LIVE. simulate-cta shows what it will do.',
  input: closedObject({
    tenantId: tenantParameter,
    orgId: ownerParameter,
    name: ctaNameParameter,
    ...optionalFields,
    rule: RuleInput,
  }),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, context) => {
    const fields: CtaFields = { ...emptyFields, rule: input.rule, name: input.name, ...givenFields(input) };
    requireValid(fields);
    const now = context.clock.now();
    const claim = { tenantId: tenantOf(input), orgId: input.orgId };
    const made = await changeTenant(context, { claim }, async (q, { tenantId }) => {
      const cta = await insertCta(q, tenantId, fields, { by: context.actor.userId, now });
      return { cta, names: await cohortNames(q, tenantId) };
    });
    return savedCtaRecordOf(made.cta, made.names, now);
  },
});

export const getCta = operation({
  name: 'get-cta',
  title: 'Read a CTA',
  description:
    'Returns one CTA in full, with its rule as it was given; with "version", as an earlier edit left it. list-ctas finds CTAs.',
  input: closedObject({
    ctaId: ctaIdParameter,
    version: Type.Optional(recordId('An earlier version; default the newest.')),
  }),
  output: ctaRecord,
  access: member('read'),
  effect: 'read',
  handler: async ({ ctaId, version }, { actor, db, clock }) => {
    const cta = await ctaFor(db.q, actor, ctaId, 'read');
    if (version === undefined || version === cta.version) return ctaRecordOf(cta, clock.now());
    const earlier = await versionOf(db.q, cta.id, version);
    return ctaRecordOf({ ...cta, ...fieldsOf(earlier.fields), version, updatedAt: earlier.at }, clock.now());
  },
});

export const updateCta = operation({
  name: 'update-cta',
  title: 'Edit a CTA',
  description:
    'Changes the given fields of a DRAFT or PAUSED CTA (the rule as a whole) and creates a new version; other fields stay. ' +
    'Fails with CONFLICT if "version" is not the newest. PAUSE a LIVE CTA first (set-cta-status); only the coverage of its ' +
    'experiment may grow while it is LIVE. While an experiment runs, the rest of it is frozen. Earlier versions: ' +
    'list-cta-versions, revert-cta.',
  input: closedObject({
    ctaId: ctaIdParameter,
    version: versionParameter,
    name: Type.Optional(ctaNameParameter),
    ...optionalFields,
    rule: Type.Optional(RuleInput),
    clear: clearParameter(clearableFields),
  }),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, context) => {
    const { ctaId, version, clear = [] } = input;
    const given = givenFields(input);
    if (Object.keys(given).length === 0 && clear.length === 0) {
      throw fail.NOTHING_TO_UPDATE('No field to change was given.');
    }
    const both = clear.find((field) => given[field] !== undefined);
    if (both) throw fail.INVALID_REQUEST(`${both} is given and named in clear.`, { cause: 'clear' });
    const cleared = Object.fromEntries(clear.map((field) => [field, null]));
    const now = context.clock.now();
    return changeTenants(context, async (q) => {
      const cta = await ctaToChange(q, context.actor, ctaId, 'write');
      requireVersion(`CTA "${ctaId}"`, 'get-cta', cta.version, version);
      const fields: CtaFields = { ...fieldsOf(cta), ...given, ...cleared };
      requireValid(fields);
      // It reaches the users of apps at once.
      if (onlyCoverageGrows(cta, fields) && !isEditable(statusAt(cta, now)))
        await ctaToChange(q, context.actor, ctaId, 'publish');
      const written = await writeFields(q, cta, fields, { by: context.actor.userId, now });
      const names = await cohortNames(q, cta.tenantId);
      return { changed: [cta.tenantId], result: savedCtaRecordOf(written, names, now) };
    });
  },
});

export const cloneCta = operation({
  name: 'clone-cta',
  title: 'Copy a CTA',
  description:
    'Creates a DRAFT in the same tenant with the fields of a CTA in any status, from its newest or an earlier version. ' +
    'Users start anew with the copy: their state belongs to the original. A behaviour tag or a holdout that no longer exists is left out.',
  input: closedObject({
    ctaId: ctaIdParameter,
    version: Type.Optional(recordId('The version to copy; default the newest.')),
    name: Type.Optional(nameText('The name of the copy; default "Copy of …".')),
  }),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, context) => {
    const now = context.clock.now();
    const made = await changeTenants(context, async (q) => {
      const original = await ctaToChange(q, context.actor, input.ctaId, 'write');
      const { tenantId } = original;
      const { version, fields } = await versionOf(q, original.id, input.version ?? original.version);
      const name = input.name?.trim() ?? `Copy of ${fields.name}`.slice(0, 255).toWellFormed();
      const tagExists = await hasTag(q, tenantId, fields.behaviourTagName);
      const behaviourTagName = tagExists ? fields.behaviourTagName : null;
      const given = fields.experiment ?? null;
      const holdoutExists = await hasHoldout(q, tenantId, given);
      const experiment = given && (holdoutExists ? given : withoutHoldout(given));
      const from = { ctaId: original.id, version };
      const edit = { by: context.actor.userId, now, from };
      const cta = await insertCta(q, tenantId, { ...fields, name, behaviourTagName, experiment }, edit);
      const names = await cohortNames(q, tenantId);
      return { changed: [tenantId], result: { cta, names, tagExists, holdoutExists } };
    });
    const { warnings, ...copy } = savedCtaRecordOf(made.cta, made.names, now);
    const lost = [
      ...(made.tagExists ? [] : [leftOut('behaviourTagName', 'behaviour tag')]),
      ...(made.holdoutExists ? [] : [leftOut('experiment.holdout', 'holdout')]),
    ];
    return { ...copy, warnings: [...warnings, ...lost] };
  },
});

const leftOut = (path: string, what: string) => ({
  path,
  message: `The ${what} no longer exists and was left out.`,
});

function withoutHoldout(given: Experiment): Experiment {
  const { holdout: _, ...experiment } = given;
  return experiment;
}
