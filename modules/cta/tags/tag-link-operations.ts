import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaSummaryRecord, ctaSummaryRecordOf } from '../ctas/cta-record.ts';
import { ctaToChange, writeFields } from '../ctas/cta-store.ts';
import { fieldsOf } from '../ctas/cta-version-store.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { ctaIdParameter } from '../base/parameters.ts';
import { changeTenants } from '../tenants/tenant-change.ts';
import { tagNameParameter } from './tag-parameters.ts';

const ctaIds = Type.Array(ctaIdParameter, {
  minItems: 1,
  maxItems: 500,
  uniqueItems: true,
  description: 'The CTAs, each DRAFT or PAUSED; all or nothing.',
});
const changedCtas = closedObject({ ctas: Type.Array(ctaSummaryRecord) });

export const linkBehaviourTag = operation({
  name: 'link-behaviour-tag',
  title: 'Put CTAs under a behaviour tag',
  description:
    'Puts CTAs under a behaviour tag of their tenant, in place of their present one. It is an edit like update-cta: ' +
    'only DRAFT and PAUSED CTAs, and each gets a new version.',
  input: closedObject({ behaviourTagName: tagNameParameter, ctaIds }),
  output: changedCtas,
  access: member('write'),
  effect: 'update',
  named: ['behaviourTagName'],
  handler: (input, context) => writeTagOfCtas(input.behaviourTagName, input.ctaIds, context),
});

export const unlinkBehaviourTag = operation({
  name: 'unlink-behaviour-tag',
  title: 'Remove CTAs from their behaviour tag',
  description:
    'Removes CTAs from their behaviour tag. It is an edit like update-cta: only DRAFT and PAUSED CTAs, and each gets a new ' +
    'version.',
  input: closedObject({ ctaIds }),
  output: changedCtas,
  access: member('write'),
  effect: 'update',
  handler: (input, context) => writeTagOfCtas(null, input.ctaIds, context),
});

/** Most characters of all rules in one call: each edit stores a rule twice, and the writes of a transaction are flushed at once. */
const maxRuleCharacters = 8 * 1024 * 1024;

async function writeTagOfCtas(behaviourTagName: string | null, ids: readonly string[], context: Context) {
  const { actor, signal } = context;
  const now = context.clock.now();
  return changeTenants(context, async (q) => {
    // Summaries only: together the rules of the CTAs may have 128 MiB.
    const ctas: ReturnType<typeof ctaSummaryRecordOf>[] = [];
    let characters = 0;
    for (const ctaId of ids) {
      if (turnIsOver()) await nextTurn(signal);
      const cta = await ctaToChange(q, actor, ctaId, 'write');
      const isUnchanged = cta.behaviourTagName === behaviourTagName;
      characters += isUnchanged ? 0 : JSON.stringify(cta.rule).length;
      if (characters > maxRuleCharacters) {
        throw fail.RULES_TOO_LARGE(
          `The rules of these CTAs have more than ${maxRuleCharacters / 2 ** 20} Mi characters; nothing was changed.`,
          { cause: 'ctaIds' },
        );
      }
      const fields = { ...fieldsOf(cta), behaviourTagName };
      const written = isUnchanged ? cta : await writeFields(q, cta, fields, { by: actor.userId, now });
      ctas.push(ctaSummaryRecordOf(written, now));
    }
    return { changed: ctas.map(({ tenantId }) => tenantId), result: { ctas } };
  });
}
