import type { AppCta } from '../rules/app-cta.ts';

/** A CTA with the parts of its response that are the same for all users, serialised once per catalogue instead of per request. */
export interface SerialisedCta extends AppCta {
  /** Before the part of the user. */
  readonly head: string;
  readonly tail: string;
  /** The whole entry of a user of whom nothing is stored. */
  readonly untouched: string;
}

/** Serialises what is the same for all users. */
export function serialiseCta(cta: AppCta): SerialisedCta {
  const head = `{"ctaId":${JSON.stringify(cta.ctaId)},"rule":${JSON.stringify(cta.rule)},`;
  const tail = `,"behaviourTagName":${JSON.stringify(cta.behaviourTagName)}}`;
  return { ...cta, head, tail, untouched: `${head}${nothingStored}${tail}` };
}

const nothingStored = '"activeStateMachines":{},"resetAt":[],"actionDoneAt":[]';
