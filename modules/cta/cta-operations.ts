import { Type } from '@sinclair/typebox';
import { member } from '../../core/actor.ts';
import { operation } from '../../core/operation.ts';
import { page, pageOf, paging } from '../../core/page.ts';
import { catalogues } from './catalogue.ts';
import {
  ctaFor,
  insertCta,
  pageOfCtas,
  requireValid,
  slimCta,
  warningsOf,
  wholeCta,
  writeStatus,
} from './ctas.ts';
import { refuse } from './errors.ts';
import { illegalMove } from './lifecycle.ts';
import {
  closed,
  ctaIdParameter,
  ctaRecord,
  nameText,
  ownerParameter,
  savedCtaRecord,
  slimCtaRecord,
  statusWord,
  tagName,
  tenantOf,
  tenantParameter,
  timeOf,
  toolset,
} from './parameters.ts';
import { RuleInput } from './rule.ts';
import type { CtaFields } from './schema.ts';
import { claimTenant, raiseVersion, tenantFor } from './tenants.ts';

export const createCta = operation({
  name: 'create-cta',
  toolset,
  title: 'Create a CTA',
  description:
    'Creates a call to action as a DRAFT: who sees it, when, how often, and what the app does on which events. The rule is ' +
    'checked and refused with the place of each fault; "warnings" names what was saved and may surprise. No app gets it ' +
    'before set-cta-status makes it LIVE.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      orgId: ownerParameter,
      name: nameText('What people call the CTA; apps do not see it.'),
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
      rule: RuleInput,
    },
    closed,
  ),
  output: savedCtaRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const fields: CtaFields = {
      name: input.name.trim(),
      description: input.description?.trim() ?? '',
      tags: [...new Set(input.tags?.map((tag) => tag.trim()))],
      team: input.team?.trim() ?? null,
      startTime: input.startTime ?? null,
      endTime: input.endTime ?? null,
      behaviourTagName: input.behaviourTagName ?? null,
      rule: input.rule,
    };
    requireValid(fields);
    const tenantId = tenantOf(input);
    const now = clock.now();
    const cta = await db.tx(async (q) => {
      await claimTenant(q, actor, { tenantId, orgId: input.orgId }, now);
      const made = await insertCta(q, { tenantId, fields, by: actor.userId, now });
      await raiseVersion(q, tenantId);
      return made;
    });
    afterCommit(() => catalogues(host).forget(tenantId));
    return { ...wholeCta(cta, now), warnings: warningsOf(fields, now) };
  },
});

export const setCtaStatus = operation({
  name: 'set-cta-status',
  toolset,
  title: 'Move a CTA to another status',
  description:
    'DRAFT may become LIVE, SCHEDULED or TERMINATED; SCHEDULED becomes LIVE at its startTime by itself, or PAUSED or DRAFT; ' +
    "LIVE may become PAUSED (hidden, its users' state kept), CONCLUDED or TERMINATED; PAUSED may become LIVE, SCHEDULED, " +
    'CONCLUDED or TERMINATED. CONCLUDED and TERMINATED are final. A LIVE CTA concludes at its endTime by itself.',
  input: Type.Object({ ctaId: ctaIdParameter, status: statusWord('The status to move to.') }, closed),
  output: ctaRecord,
  access: member('write'),
  effect: 'update',
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const now = clock.now();
    const moved = await db.tx(async (q) => {
      const cta = await ctaFor(q, actor, input.ctaId, 'write');
      const illegal = illegalMove(cta, input.status, now);
      if (illegal) {
        throw refuse.ILLEGAL_STATUS_CHANGE(
          `CTA "${input.ctaId}" cannot become ${input.status}. ${illegal.message}`,
          { cause: illegal.field },
        );
      }
      await raiseVersion(q, cta.tenantId);
      return writeStatus(q, cta, input.status, now);
    });
    afterCommit(() => catalogues(host).forget(moved.tenantId));
    return wholeCta(moved, now);
  },
});

export const getCta = operation({
  name: 'get-cta',
  toolset,
  title: 'Read a CTA',
  description: 'Answers one CTA whole, with its rule as it was given. list-ctas finds CTAs.',
  input: Type.Object({ ctaId: ctaIdParameter }, closed),
  output: ctaRecord,
  access: member('read'),
  effect: 'read',
  handler: async ({ ctaId }, { actor, db, clock }) =>
    wholeCta(await ctaFor(db.q, actor, ctaId, 'read'), clock.now()),
});

export const listCtas = operation({
  name: 'list-ctas',
  toolset,
  title: 'List CTAs',
  description:
    'Lists the CTAs of a tenant, a page at a time, oldest first, without descriptions and rules (get-cta has them).',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      status: Type.Optional(statusWord('Only CTAs that have this status now.')),
      ...paging,
    },
    closed,
  ),
  output: page('ctas', slimCtaRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db, clock }) => {
    const { status } = input;
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(db.q, actor, tenantOf(input), 'read');
    const now = clock.now();
    const { total, rows } = await pageOfCtas(db.q, tenantId, { status, limit, offset }, now);
    return { total, limit, offset, ctas: rows.map((cta) => slimCta(cta, now)) };
  },
});
