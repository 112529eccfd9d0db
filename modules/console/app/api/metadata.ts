import { useQueries } from '@tanstack/react-query';
import {
  classifications,
  everyClassification,
  type Classification,
} from '../../../testmgmt/rules/classification.ts';
import { send } from './call.ts';
import { useTool } from './queries.ts';

/** A value that a test can have: a priority, a label, a squad. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

/** At most this many labels, squads or values of a project are offered. */
const most = 500;

type Listing = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, number | string>>>>>;

/** The values of one classification: its tool names its list and the fields after itself. */
async function valuesOf(kind: Classification, projectId: number, signal: AbortSignal): Promise<Named[]> {
  const { tool, property } = classifications[kind];
  const answer = await send(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ projectId, limit: most }),
    signal,
  });
  const listing = (await answer.json()) as Listing;
  return (listing[property] ?? []).map((value) => ({
    id: Number(value[`${kind}Id`]),
    name: String(value[`${kind}Name`]),
  }));
}

/** The labels, squads and classifications of a project. */
export function useMetadata(projectId: number) {
  const values = useQueries({
    queries: everyClassification.map((kind) => ({
      queryKey: [classifications[kind].tool, { projectId }],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => valuesOf(kind, projectId, signal),
      staleTime: 30_000,
    })),
  });
  const labels = useTool('get-labels', { projectId, limit: most });
  const squads = useTool('get-squads', { projectId, limit: most });
  const ofKind = (kind: Classification): readonly Named[] =>
    values[everyClassification.indexOf(kind)]?.data ?? [];
  return {
    ofKind,
    labels: (labels.data?.labels ?? []).map(({ labelId, labelName }) => ({ id: labelId, name: labelName })),
    squads: (squads.data?.squads ?? []).map(({ squadId, squadName }) => ({ id: squadId, name: squadName })),
  };
}
