import { adminOr, member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import {
  clearParameter,
  ownerParameter,
  requireVersion,
  tagName,
  tenantOf,
  tenantParameter,
  versionParameter,
} from '../base/parameters.ts';
import type { Warning } from '../rules/warning.ts';
import { publishScope, tenantFor } from '../tenants/tenant-access.ts';
import { changeTenant } from '../tenants/tenant-change.ts';
import { requireRelation } from './tag-check.ts';
import { tagDefinitionOf, tagDefinitionParameters, tagNameParameter } from './tag-parameters.ts';
import { savedTagRecord, savedTagRecordOf, tagRecord, tagRecordOf } from './tag-record.ts';
import { deleteTag, insertTag, pageOfTags, tagNamed, unknownCtaWarnings, writeTag } from './tag-store.ts';

export const createBehaviourTag = operation({
  name: 'create-behaviour-tag',
  title: 'Create a behaviour tag',
  description:
    'Creates a behaviour tag: limits that several CTAs share, and which of them hide each other. Valid relations are ' +
    'shownCta ANY with hideCta REST, and LIST with LIST. Apps get the tag with their next launch and keep it: later ' +
    'edits do not reach them. create-cta and link-behaviour-tag put CTAs under it.',
  input: closedObject({
    tenantId: tenantParameter,
    orgId: ownerParameter,
    behaviourTagName: tagName('The name that CTAs and apps use.'),
    ...tagDefinitionParameters,
  }),
  output: savedTagRecord,
  access: member('write'),
  effect: 'create',
  named: ['behaviourTagName'],
  handler: (input, context) => {
    const definition = tagDefinitionOf(input.behaviourTagName, input);
    requireRelation(definition.ctaRelation);
    const now = context.clock.now();
    const claim = { tenantId: tenantOf(input), orgId: input.orgId };
    return changeTenant(context, { claim }, async (q, { tenantId }) => {
      const tag = await insertTag(q, { tenantId, definition, by: context.actor.userId, now });
      return savedTagRecordOf(tag, await unknownCtaWarnings(q, tag));
    });
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
  title: 'Edit a behaviour tag',
  description:
    'Replaces the limits or the relations of a behaviour tag, each as a whole; the other stays. Fails with CONFLICT if ' +
    '"version" is not the newest. Apps that know the tag keep its old limits and relations, also over restarts; only new ' +
    'installations get the edit. To reach all apps, create a tag with a new name (create-behaviour-tag) and put the CTAs ' +
    'under it (link-behaviour-tag).',
  input: closedObject({
    tenantId: tenantParameter,
    behaviourTagName: tagNameParameter,
    version: versionParameter,
    ...tagDefinitionParameters,
    clear: clearParameter(clearable),
  }),
  output: savedTagRecord,
  access: member('write'),
  effect: 'update',
  named: ['behaviourTagName'],
  handler: (input, context) => {
    const { behaviourTagName, version, clear = [] } = input;
    const given = tagDefinitionOf(behaviourTagName, input);
    if (Object.keys(given).length === 1 && clear.length === 0) {
      throw fail.NOTHING_TO_UPDATE('Neither limits nor relations were given.');
    }
    const both = clear.find((part) => given[part] !== undefined);
    if (both) throw fail.INVALID_REQUEST(`${both} is given and named in clear.`, { cause: 'clear' });
    requireRelation(given.ctaRelation);
    const target = { tenantId: tenantOf(input), right: 'write' } as const;
    return changeTenant(context, target, async (q, { tenantId }) => {
      const tag = await tagNamed(q, tenantId, behaviourTagName);
      requireVersion('The behaviour tag', 'get-behaviour-tag', tag.version, version);
      const definition = { ...tag.definition, ...given };
      for (const part of clear) delete definition[part];
      const written = await writeTag(q, tag, definition, context.clock.now());
      const saved = savedTagRecordOf(written, await unknownCtaWarnings(q, written));
      return { ...saved, warnings: [editWarning, ...saved.warnings] };
    });
  },
});

export const getBehaviourTag = operation({
  name: 'get-behaviour-tag',
  title: 'Read a behaviour tag',
  description: 'Returns one behaviour tag with its limits and relations. list-ctas lists the CTAs under it.',
  input: closedObject({ tenantId: tenantParameter, behaviourTagName: tagNameParameter }),
  output: tagRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    return tagRecordOf(await tagNamed(q, tenantId, input.behaviourTagName));
  },
});

export const listBehaviourTags = operation({
  name: 'list-behaviour-tags',
  title: 'List behaviour tags',
  description: 'Lists the behaviour tags of a tenant with their limits and relations, the oldest first.',
  input: closedObject({ tenantId: tenantParameter, ...paging }),
  output: page('behaviourTags', tagRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const { total, rows } = await pageOfTags(q, tenantId, { limit, offset });
    return { total, limit, offset, behaviourTags: rows.map(tagRecordOf) };
  },
});

export const deleteBehaviourTag = operation({
  name: 'delete-behaviour-tag',
  title: 'Delete a behaviour tag',
  description:
    'Deletes a behaviour tag. Fails if a CTA under it has not ended. What users did in it is kept, and counts again if a tag ' +
    `of that name is created. Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({ tenantId: tenantParameter, behaviourTagName: tagNameParameter }),
  output: tagRecord,
  access: adminOr(publishScope),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  named: ['behaviourTagName'],
  handler: (input, context) => {
    const target = { tenantId: tenantOf(input), right: 'publish' } as const;
    return changeTenant(context, target, async (q, { tenantId }) => {
      const tag = await tagNamed(q, tenantId, input.behaviourTagName);
      await deleteTag(q, tag, context.clock.now());
      return tagRecordOf(tag);
    });
  },
});
