import { Type, type Static, type TObject } from '@sinclair/typebox';
import { descriptionParameter, nameText, tagName, timeOf } from '../base/parameters.ts';
import { experimentParameter } from '../experiments/experiment.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { CtaFields } from '../base/schema.ts';

export const ctaNameParameter = nameText('The name for administrators; apps do not get it.');

/** The fields of a CTA that a call may omit. */
export const optionalFields = {
  description: descriptionParameter('What the CTA is for.'),
  tags: Type.Optional(
    Type.Array(nameText('A keyword.'), { maxItems: 100, description: 'Keywords to find it by.' }),
  ),
  team: Type.Optional(nameText('The team that owns it.')),
  startTime: Type.Optional(timeOf('Apps get it from this time on; absent: as soon as it is LIVE.')),
  endTime: Type.Optional(timeOf('Apps get it until this time; absent: no end.')),
  behaviourTagName: Type.Optional(
    tagName('The behaviour tag whose limits it shares; create-behaviour-tag creates one.'),
  ),
  experiment: Type.Optional(experimentParameter),
};

/** The fields that `clear` of update-cta may set to null. */
export const clearableFields = ['team', 'startTime', 'endTime', 'behaviourTagName', 'experiment'] as const;

type FieldParameters = TObject<typeof optionalFields & { name: typeof ctaNameParameter }>;

/** The fields given by a call, in their stored form: texts without surrounding space, and each keyword once. */
export function givenFields(
  input: Partial<Static<FieldParameters>> & { readonly rule?: RuleInput },
): Partial<CtaFields> {
  const { name, description, tags, team, startTime, endTime, behaviourTagName, experiment, rule } = input;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(description !== undefined && { description: description.trim() }),
    ...(tags !== undefined && { tags: [...new Set(tags.map((tag) => tag.trim()))] }),
    ...(team !== undefined && { team: team.trim() }),
    ...(startTime !== undefined && { startTime }),
    ...(endTime !== undefined && { endTime }),
    ...(behaviourTagName !== undefined && { behaviourTagName }),
    ...(experiment !== undefined && { experiment }),
    ...(rule !== undefined && { rule }),
  };
}
