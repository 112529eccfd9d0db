import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import {
  classifications,
  everyClassification,
  type Classification,
} from '../../../testmgmt/rules/classification.ts';
import { send } from './call.ts';
import type { Input } from './calls.ts';
import { classificationNouns } from './classification-title.ts';
import { noun, type Noun } from '../texts/text.ts';

/** A list of names by which tests are described. */
type MetadataKind = Input<'edit-metadata'>['kind'];

export interface MetadataListing {
  readonly kind: MetadataKind;
  /** The tool that lists it, and the member of the response with the rows. */
  readonly tool: string;
  readonly property: string;
  readonly of: Noun;
}

/** Every list of a project, in the order in which a page shows them. */
export const metadataListings: readonly MetadataListing[] = [
  { kind: 'label', tool: 'get-labels', property: 'labels', of: noun('label') },
  { kind: 'squad', tool: 'get-squads', property: 'squads', of: noun('squad') },
  ...everyClassification.map((kind) => {
    const { tool, property } = classifications[kind];
    return { kind, tool, property, of: classificationNouns[kind] };
  }),
];

/** A value that a test can have: a priority, a label, a squad. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

interface MetadataPage {
  readonly total: number;
  readonly values: readonly Named[];
}

interface PageInput {
  readonly projectId: number;
  readonly limit: number;
  readonly offset: number;
}

type Answer = Pick<MetadataPage, 'total'> &
  Readonly<Record<string, ReadonlyArray<Readonly<Record<string, number | string>>>>>;

/** A page of a list. Each of the tools names its rows and their fields after what it lists. */
const pageQuery = ({ kind, tool, property }: MetadataListing, input: PageInput) => ({
  queryKey: [tool, input],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<MetadataPage> => {
    const response = await send(`/api/tools/${tool}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal,
    });
    const answer = (await response.json()) as Answer;
    const values = (answer[property] ?? []).map((row) => ({
      id: Number(row[`${kind}Id`]),
      name: String(row[`${kind}Name`]),
    }));
    return { total: answer.total, values };
  },
});

export const useMetadataPage = (listing: MetadataListing, input: PageInput) =>
  useQuery<MetadataPage, Error>({ ...pageQuery(listing, input), placeholderData: keepPreviousData });

/** At most this many labels, squads or values of a project are offered. */
export const mostOffered = 500;

/** The labels, squads and classifications of a project. */
export function useMetadata(projectId: number) {
  const input = { projectId, limit: mostOffered, offset: 0 };
  const pages = useQueries({
    queries: metadataListings.map((listing) => ({ ...pageQuery(listing, input), staleTime: 30_000 })),
  });
  const named = (kind: MetadataKind): readonly Named[] =>
    pages[metadataListings.findIndex((listing) => listing.kind === kind)]?.data?.values ?? [];
  return {
    ofKind: (kind: Classification): readonly Named[] => named(kind),
    labels: named('label'),
    squads: named('squad'),
  };
}
