import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { classifications, everyClassification } from '../../../testmgmt/rules/classification.ts';
import { send } from './call.ts';
import type { Input } from './calls.ts';

/** A list of names by which tests are described. */
export type MetadataKind = Input<'edit-metadata'>['kind'];

interface Listing {
  readonly kind: MetadataKind;
  /** The tool that lists it, and the member of its answer with the rows. */
  readonly tool: string;
  readonly property: string;
  readonly singular: string;
  readonly plural: string;
}

/** Every list of a project, in the order in which a page shows them. */
export const metadataListings: readonly Listing[] = [
  { kind: 'label', tool: 'get-labels', property: 'labels', singular: 'label', plural: 'labels' },
  { kind: 'squad', tool: 'get-squads', property: 'squads', singular: 'squad', plural: 'squads' },
  ...everyClassification.map((kind) => ({ kind, ...classifications[kind] })),
];

export interface MetadataValue {
  readonly id: number;
  readonly name: string;
}

interface MetadataPage {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly values: readonly MetadataValue[];
}

type Answer = Pick<MetadataPage, 'total' | 'limit' | 'offset'> &
  Readonly<Record<string, ReadonlyArray<Readonly<Record<string, number | string>>>>>;

/** A page of a list. Each of the tools names its rows and their fields after what it lists. */
export function useMetadataPage(
  { kind, tool, property }: Listing,
  projectId: number,
  page: { readonly limit: number; readonly offset: number },
) {
  const input = { projectId, ...page };
  return useQuery<MetadataPage, Error>({
    queryKey: [tool, 'page', input],
    queryFn: async ({ signal }) => {
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
      return { total: answer.total, limit: answer.limit, offset: answer.offset, values };
    },
    placeholderData: keepPreviousData,
  });
}
