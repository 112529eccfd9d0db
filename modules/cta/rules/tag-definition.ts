import type { Limit, Relation, Window } from '../state/snapshot.ts';

/** A behaviour tag as the administrator defined it. */
export interface TagDefinition {
  readonly behaviourTagName: string;
  readonly exposureRule?: { readonly session?: Limit; readonly window?: Window; readonly lifespan?: Limit };
  readonly ctaRelation?: { readonly shownCta?: Relation; readonly hideCta?: Relation };
}
