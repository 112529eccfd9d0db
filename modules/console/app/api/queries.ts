import {
  keepPreviousData,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { call, Refusal, send, Unreachable } from './call.ts';
import type { Input, Output, ToolName } from './calls.ts';

/** Answers are shown at once and asked for again when a page is opened; a refusal is not asked for again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => error instanceof Unreachable && count < 5,
      retryDelay: (count) => Math.min(1_000 * 2 ** count, 8_000),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

interface Asked {
  readonly enabled?: boolean;
  /** Shows the answer before while another is on its way. */
  readonly keep?: boolean;
}

/**
 * The answer of a tool that reads. Its key is `[tool, input]`.
 * @example const tests = useTool('get-tests', { projectId, limit: 50 });
 */
export function useTool<N extends ToolName>(
  tool: N,
  input: Input<N>,
  { enabled = true, keep = false }: Asked = {},
): UseQueryResult<Output<N>, Error> {
  return useQuery<Output<N>, Error>({
    queryKey: [tool, input],
    queryFn: ({ signal }) => call(tool, input, signal),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

/**
 * A call of a tool that writes. Afterwards all answers of the tools in `changes` are asked for again.
 * @example const add = useChange('add-section', ['get-sections']);
 */
export function useChange<N extends ToolName>(tool: N, changes: readonly ToolName[]) {
  const client = useQueryClient();
  return useMutation<Output<N>, Error, Input<N>>({
    mutationFn: (input) => call(tool, input),
    onSuccess: () => Promise.all(changes.map((one) => client.invalidateQueries({ queryKey: [one] }))),
  });
}

/** Who is signed in, and what this server has. */
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
  readonly modules: readonly string[];
  readonly version: string;
}

export const useMe = (): UseQueryResult<Me, Error> =>
  useQuery<Me, Error>({
    queryKey: ['me'],
    queryFn: async ({ signal }) => (await (await send('/console/me', { signal })).json()) as Me,
    staleTime: 60_000,
  });

/** A sentence for a person about what went wrong. */
export const messageOf = (error: unknown): string =>
  error instanceof Refusal
    ? `${error.message}${error.tip === undefined ? '' : ` ${error.tip}`}`
    : error instanceof Error
      ? error.message
      : 'Something went wrong.';
