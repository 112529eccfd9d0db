import type { AppCta } from '../rules/app-cta.ts';

/** A CTA with the parts of its response that are equal for all users, serialised once per catalogue instead of once per request. */
export interface SerialisedCta extends AppCta {
  /** The text before the user's part. */
  readonly head: string;
  readonly tail: string;
  /** The whole entry for a user without stored state. */
  readonly untouched: string;
}

/** Serialises the parts that are equal for all users. */
export function serialiseCta(
  cta: AppCta & { readonly version: number; readonly variant?: string },
): SerialisedCta {
  const head = `{"ctaId":${JSON.stringify(cta.ctaId)},"rule":${JSON.stringify(cta.rule)},`;
  const arm = cta.variant === undefined ? '' : `,"variant":${JSON.stringify(cta.variant)}`;
  const tail = `,"behaviourTagName":${JSON.stringify(cta.behaviourTagName)},"version":${cta.version}${arm}}`;
  return { ...cta, head, tail, untouched: `${head}${nothingStored}${tail}` };
}

const nothingStored = '"activeStateMachines":{},"resetAt":[],"actionDoneAt":[]';
