import { Type } from '@sinclair/typebox';
import { adminOr, member } from '../../../core/actor.ts';
import { fail } from '../../../core/errors.ts';
import type { Context } from '../../../core/host.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { words } from '../../../core/schema.ts';
import { deleteTag, insertTag, pageOfTags, relationWarnings, tagNamed, writeTag } from './tag-store.ts';
import { tagWarnings, requireRelation } from './tag-check.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { ctaFor, fieldsOf, slimCta, writeFields } from '../ctas/cta-store.ts';
import { refuse } from '../errors.ts';
import { closed, ctaIdParameter, ownerParameter, slimCtaRecord, tagName, tenantOf, tenantParameter, toolset, versionParameter } from '../parameters.ts';
import { definitionOf, definitionParameters, savedTagRecord, tagAnswer, tagRecord } from './tag-parameters.ts';
import { claimTenant, publishGrant, raiseVersion, tenantFor } from '../tenants/tenant-store.ts';
import type { Warning } from '../rules/warning.ts';

const nameParameter = tagName('The behaviour tag; list-behaviour-tags lists them.');

export const createBehaviourTag = operation({
  name: 'create-behaviour-tag',
  toolset,
  title: 'Create a behaviour tag',
  description:
    'Creates a behaviour tag: limits that several CTAs share, and which of them hide each other. Relations that mean ' +
    'something are shownCta ANY with hideCta REST, and LIST with LIST. Apps get it with their next launch and keep it: later ' +
    'edits do not reach them. create-cta and link-behaviour-tag put CTAs under it.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      orgId: ownerParameter,
      behaviourTagName: tagName('The name; CTAs and apps refer to the tag by it.'),
      ...definitionParameters,
    },
    closed,
  ),
  output: savedTagRecord,
  access: member('write'),
  effect: 'create',
  named: ['behaviourTagName'],
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const definition = definitionOf(input.behaviourTagName, input);
    requireRelation(definition.ctaRelation);
    const tenantId = tenantOf(input);
    const now = clock.now();
    const made = await db.tx(async (q) => {
      await claimTenant(q, actor, { tenantId, orgId: input.orgId }, now);
      const tag = await insertTag(q, { tenantId, definition, by: actor.userId, now });
      await raiseVersion(q, tenantId);
      return {
        ...tagAnswer(tag),
        warnings: [...tagWarnings(definition), ...(await relationWarnings(q, tenantId, definition))],
      };
    });
    afterCommit(() => catalogues(host).forget(tenantId));
    return made;
  },
});

const editWarning: Warning = {
  path: 'behaviourTagName',
  message:
    'Apps that know this tag keep its old limits and relations; only new installations get the edit. To reach all apps, use create-behaviour-tag with a new name, then link-behaviour-tag.',
};

const clearable = ['exposureRule', 'ctaRelation'] as const;

export const updateBehaviourTag = operation({
  name: 'update-behaviour-tag',
  toolset,
  title: 'Edit a behaviour tag',
  description:
    'Replaces the limits or the relations of a behaviour tag, each as a whole; what is not given stays. Refuses when the tag ' +
    'is no longer at the version that the change was made from. Apps that know the tag keep its old limits and relations, over ' +
    'restarts too; only new installations get the edit. To reach all apps, make a tag of a new name with create-behaviour-tag ' +
    'and move the CTAs to it with link-behaviour-tag.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      behaviourTagName: nameParameter,
      version: versionParameter,
      ...definitionParameters,
      clear: Type.Optional(
        Type.Array(words(clearable, { description: 'What the tag is to have no more.' }), {
          maxItems: clearable.length,
          uniqueItems: true,
          description: `What the tag is to have no more: ${clearable.join(', ')}.`,
        }),
      ),
    },
    closed,
  ),
  output: savedTagRecord,
  access: member('write'),
  effect: 'update',
  named: ['behaviourTagName'],
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const { behaviourTagName, version, clear = [] } = input;
    const given = definitionOf(behaviourTagName, input);
    if (Object.keys(given).length === 1 && clear.length === 0) {
      throw refuse.NOTHING_TO_CHANGE('Neither limits nor relations were given.');
    }
    const both = clear.find((part) => given[part] !== undefined);
    if (both) throw fail.INVALID_REQUEST(`${both} is given and named in clear.`, { cause: 'clear' });
    requireRelation(given.ctaRelation);
    const now = clock.now();
    const made = await db.tx(async (q) => {
      const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'write');
      const tag = await tagNamed(q, tenantId, behaviourTagName);
      if (tag.version !== version) {
        throw fail.CONFLICT(`The behaviour tag is at version ${tag.version}, not ${version}.`, {
          cause: 'version',
          tip: 'Use get-behaviour-tag to read the newest version, and repeat the change on it.',
        });
      }
      const definition = { ...tag.definition, ...given };
      for (const part of clear) delete definition[part];
      const written = await writeTag(q, tag, definition, now);
      await raiseVersion(q, tenantId);
      const warnings = [
        editWarning,
        ...tagWarnings(definition),
        ...(await relationWarnings(q, tenantId, definition)),
      ];
      return { ...tagAnswer(written), warnings };
    });
    afterCommit(() => catalogues(host).forget(made.tenantId));
    return made;
  },
});

export const getBehaviourTag = operation({
  name: 'get-behaviour-tag',
  toolset,
  title: 'Read a behaviour tag',
  description: 'Answers one behaviour tag with its limits and relations. list-ctas names the CTAs under it.',
  input: Type.Object({ tenantId: tenantParameter, behaviourTagName: nameParameter }, closed),
  output: tagRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    return tagAnswer(await tagNamed(q, tenantId, input.behaviourTagName));
  },
});

export const listBehaviourTags = operation({
  name: 'list-behaviour-tags',
  toolset,
  title: 'List behaviour tags',
  description: 'Lists the behaviour tags of a tenant with their limits and relations, the oldest first.',
  input: Type.Object({ tenantId: tenantParameter, ...paging }, closed),
  output: page('behaviourTags', tagRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const { total, rows } = await pageOfTags(q, tenantId, { limit, offset });
    return { total, limit, offset, behaviourTags: rows.map(tagAnswer) };
  },
});

export const deleteBehaviourTag = operation({
  name: 'delete-behaviour-tag',
  toolset,
  title: 'Delete a behaviour tag',
  description:
    'Deletes a behaviour tag that no CTA is under, those that have ended aside. What users did in it is kept, and counts ' +
    'again if a tag of that name is made. ' +
    `Needs the role admin or the token scope ${publishGrant}.`,
  input: Type.Object({ tenantId: tenantParameter, behaviourTagName: nameParameter }, closed),
  output: tagRecord,
  access: adminOr(publishGrant),
  effect: 'delete',
  named: ['behaviourTagName'],
  handler: async (input, { actor, db, clock, host, afterCommit }) => {
    const gone = await db.tx(async (q) => {
      const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'publish');
      const tag = await tagNamed(q, tenantId, input.behaviourTagName);
      await deleteTag(q, tag, clock.now());
      await raiseVersion(q, tenantId);
      return tag;
    });
    afterCommit(() => catalogues(host).forget(gone.tenantId));
    return tagAnswer(gone);
  },
});

const ctaIds = Type.Array(ctaIdParameter, {
  minItems: 1,
  maxItems: 500,
  uniqueItems: true,
  description: 'The CTAs, all DRAFT or PAUSED; all of them are changed or none.',
});
const changedCtas = Type.Object({ ctas: Type.Array(slimCtaRecord) }, closed);

export const linkBehaviourTag = operation({
  name: 'link-behaviour-tag',
  toolset,
  title: 'Put CTAs under a behaviour tag',
  description:
    'Puts CTAs under a behaviour tag of their tenant, in place of the one they are under. It is an edit like update-cta: ' +
    'DRAFT and PAUSED CTAs alone, each gets a new version.',
  input: Type.Object({ behaviourTagName: nameParameter, ctaIds }, closed),
  output: changedCtas,
  access: member('write'),
  effect: 'update',
  named: ['behaviourTagName'],
  handler: (input, context) => placeUnder(input.behaviourTagName, input.ctaIds, context),
});

export const unlinkBehaviourTag = operation({
  name: 'unlink-behaviour-tag',
  toolset,
  title: 'Take CTAs out of their behaviour tag',
  description:
    'Takes CTAs out of the behaviour tag they are under. It is an edit like update-cta: DRAFT and PAUSED CTAs alone, each ' +
    'gets a new version.',
  input: Type.Object({ ctaIds }, closed),
  output: changedCtas,
  access: member('write'),
  effect: 'update',
  handler: (input, context) => placeUnder(null, input.ctaIds, context),
});

/** Rules of one call, in characters: each edit stores a rule twice, and what one transaction writes is flushed in one go. */
const rulesAtOnce = 8 * 1024 * 1024;

async function placeUnder(
  behaviourTagName: string | null,
  ids: readonly string[],
  { actor, db, clock, host, signal, afterCommit }: Context,
) {
  const now = clock.now();
  const changed = await db.tx(async (q) => {
    // Not the whole CTAs: together their rules may be 128 MiB.
    const written: ReturnType<typeof slimCta>[] = [];
    let length = 0;
    for (const ctaId of ids) {
      if (turnIsOver()) await nextTurn(signal);
      const cta = await ctaFor(q, actor, ctaId, 'write');
      const isThere = cta.behaviourTagName === behaviourTagName;
      length += isThere ? 0 : JSON.stringify(cta.rule).length;
      if (length > rulesAtOnce) {
        throw refuse.RULES_TOO_LARGE(
          `The rules of these CTAs have more than ${rulesAtOnce / 2 ** 20} Mi characters; nothing was changed.`,
          { cause: 'ctaIds' },
        );
      }
      const fields = { ...fieldsOf(cta), behaviourTagName };
      const edited = isThere ? cta : await writeFields(q, cta, fields, { by: actor.userId, now });
      written.push(slimCta(edited, now));
    }
    for (const tenantId of new Set(written.map((cta) => cta.tenantId))) await raiseVersion(q, tenantId);
    return written;
  });
  afterCommit(() => {
    for (const { tenantId } of changed) catalogues(host).forget(tenantId);
  });
  return { ctas: changed };
}
