import type { AppCta } from '../rules/app-cta.ts';

/** An eligible CTA whose unchanging parts of the answer are serialised, once per catalogue and not once per request. */
export interface SerialisedCta extends AppCta {
  /** What stands before the user's part. */
  readonly head: string;
  readonly tail: string;
  /** The whole entry of a user of whom nothing is stored. */
  readonly untouched: string;
}

/** Serialises what is the same for all users. */
export function serialised(cta: AppCta): SerialisedCta {
  const head = `{"ctaId":${JSON.stringify(cta.ctaId)},"rule":${JSON.stringify(cta.rule)},`;
  const tail = `,"behaviourTagName":${JSON.stringify(cta.behaviourTagName)}}`;
  return { ...cta, head, tail, untouched: `${head}${nothingStored}${tail}` };
}

const nothingStored = '"activeStateMachines":{},"resetAt":[],"actionDoneAt":[]';
