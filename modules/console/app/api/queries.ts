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
import { refusalText } from './refusal-text.ts';

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

/** How long a page has to move on from what it deleted. */
const leavingMs = 100;

/**
 * To be called after every write: whatever was read may be old by now. What the page shows is asked for again at once, the rest when it is
 * shown. One rule instead of a list at each write: such lists forgot the activity of a test, its history and the counts of others.
 */
export function useRefresh({ leaves = false }: Leaving = {}): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    if (leaves) setTimeout(() => void client.invalidateQueries(), leavingMs);
    else await client.invalidateQueries();
  };
}

interface Leaving {
  /** The page or the dialog moves on: what it shows is gone, so it is asked for again only after that. */
  readonly leaves?: boolean;
}

interface Changing extends Leaving {
  /** It only says what would happen. */
  readonly isDry?: boolean;
}

/**
 * A call of a tool that writes. It is done when what the page shows is new.
 * @example const add = useChange('add-section');
 */
export function useChange<N extends ToolName>(tool: N, { leaves = false, isDry = false }: Changing = {}) {
  const refresh = useRefresh({ leaves });
  return useMutation<Output<N>, Error, Input<N>>({
    mutationFn: (input) => call(tool, input),
    onSuccess: () => (isDry ? undefined : refresh()),
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
    ? refusalText(error)
    : error instanceof Error
      ? error.message
      : 'Something went wrong.';
