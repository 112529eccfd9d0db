/** A behaviour tag as the administrator defined it. Its parts are spelled out, without the schemas of a snapshot: the SDK publishes it. */
export interface TagDefinition {
  readonly behaviourTagName: string;
  readonly exposureRule?: {
    readonly session?: TagLimit;
    readonly window?: TagWindow;
    readonly lifespan?: TagLimit;
  };
  readonly ctaRelation?: { readonly shownCta?: TagRelation; readonly hideCta?: TagRelation };
}

interface TagLimit {
  limit?: number;
}

interface TagWindow extends TagLimit {
  unit?: 'days' | 'hours' | 'minutes' | 'seconds';
  value?: number;
}

interface TagRelation {
  rule?: 'ANY' | 'LIST' | 'REST';
  ctaList?: string[];
}
