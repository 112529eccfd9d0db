import {
  keepPreviousData,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type Query,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call, Refusal, send, Unreachable } from './call.ts';
import type { Input, Output, ToolName } from './calls.ts';
import { labelOf } from './parameter-words.ts';
import { refusalText } from './refusal-text.ts';
import { t } from '../texts/text.ts';

/**
 * Cached results are shown at once and refetched when a page is opened; refusals are not retried. A server that is out of reach is asked until
 * it is back: nobody knows how long a tunnel, a restart or a night is, and a page that has given up would go on saying that it is out of reach.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (_count, error) => error instanceof Unreachable,
      retryDelay: (count) => Math.min(1_000 * 2 ** count, 8_000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

interface Asked {
  readonly enabled?: boolean;
  /** Shows the previous result while the next one is loading. */
  readonly keep?: boolean;
  /** Asks again this often while the window is visible, for what others do. */
  readonly everyMs?: number;
}

/**
 * The result of a read tool. Its key is `[tool, input]`.
 * @example const tests = useTool('get-tests', { projectId, limit: 50 });
 */
export function useTool<N extends ToolName>(
  tool: N,
  input: Input<N>,
  { enabled = true, keep = false, everyMs }: Asked = {},
): UseQueryResult<Output<N>, Error> {
  return useQuery<Output<N>, Error>({
    queryKey: [tool, input],
    queryFn: ({ signal }) => call(tool, input, signal),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** How long a page has to leave a deleted record. */
const leavingMs = 100;

/** After these tools the record is gone: the page moves on, and its data is refetched only after that. */
const removes = /\b(?:delete|merge)\b/;

/**
 * A change by a person. Afterwards any cached data may be stale: visible data is refetched at once, the rest when it is shown. One rule
 * instead of a list at each write: such lists forgot the activity of a test, its history and the counts of others.
 */
export function useWrite<In, Out>(write: (input: In) => Promise<Out>, isRemoval = false) {
  const client = useQueryClient();
  return useMutation<Out, Error, In>({
    mutationFn: write,
    onSuccess: () => {
      if (!isRemoval) return client.invalidateQueries();
      setTimeout(() => void client.invalidateQueries(), leavingMs);
      return undefined;
    },
    onError: (error) => {
      // It was refused because the page shows stale data, e.g. a section that somebody has deleted.
      if (error instanceof Refusal && (error.status === 409 || error.code === 'NOT_IN_PROJECT'))
        void client.invalidateQueries();
    },
  });
}

/**
 * A call of a writing tool. It completes when the page shows fresh data.
 * @example const add = useChange('add-section');
 */
export const useChange = <N extends ToolName>(tool: N) =>
  useWrite<Input<N>, Output<N>>((input) => call(tool, input), removes.test(tool));

/** Refetches what a page shows of these tools, for a change of others that the server told of. */
export function useRefresh(tools: readonly ToolName[]): (input: Readonly<Record<string, number>>) => void {
  const client = useQueryClient();
  return (input) => {
    for (const tool of tools) void client.invalidateQueries({ queryKey: [tool, input] });
  };
}

/** A person who opens another record within this time does not need the new state of this one. */
const pauseMs = 200;

/**
 * Refetches the data of a record when others change it.
 * @param record as inputs name it, e.g. `{ testId: 7 }`. @param at the time of its last change.
 */
export function useFreshRecord(record: Readonly<Record<string, number>>, at: string | null): void {
  const client = useQueryClient();
  const shownAt = useRef(at);
  useEffect(() => {
    if (shownAt.current === at) return undefined;
    shownAt.current = at;
    const predicate = ({ queryKey: [, input] }: Query) =>
      Object.entries(record).every(
        ([name, id]) => (input as Record<string, unknown> | undefined)?.[name] === id,
      );
    void client.invalidateQueries({ predicate, refetchType: 'none' });
    const timer = setTimeout(() => void client.refetchQueries({ predicate, type: 'active' }), pauseMs);
    return () => clearTimeout(timer);
    // The record does not change during the life of the component.
  }, [at, client]);
}

/** The signed-in person, and the features of this server. */
export interface Me {
  readonly userId: number;
  readonly name: string | null;
  readonly email: string | null;
  readonly organizations: ReadonlyArray<{
    readonly orgId: number;
    readonly orgName: string;
    readonly role: 'reader' | 'member' | 'admin';
  }>;
  /** An administrator of the first organization, who also administers the server. */
  readonly administersServer: boolean;
  /** Those of whose tools the server offers some. */
  readonly modules: readonly string[];
  /** The server takes no changes. */
  readonly isReadOnly: boolean;
  readonly version: string;
}

export const useMe = (): UseQueryResult<Me, Error> =>
  useQuery<Me, Error>({
    queryKey: ['me'],
    queryFn: async ({ signal }) => (await (await send('/console/me', { signal })).json()) as Me,
    staleTime: 60_000,
  });

/** The name of a field of the project's own, as the page that is open has read it. */
function nameOfField(key: string): string | undefined {
  for (const [, listed] of queryClient.getQueriesData<Output<'list-fields'>>({
    queryKey: ['list-fields'],
    type: 'active',
  })) {
    const found = listed?.fields.find((field) => field.key === key);
    if (found !== undefined) return found.name;
  }
  return undefined;
}
const label = labelOf(nameOfField);

/** A sentence for a person about what went wrong. */
export const messageOf = (error: unknown): string =>
  error instanceof Refusal
    ? refusalText(error, label)
    : error instanceof Error
      ? error.message
      : t('Something went wrong.');
