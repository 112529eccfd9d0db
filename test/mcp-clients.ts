import type {
  OAuthClientProvider as Provider2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client';
import { Client as Client2 } from '@modelcontextprotocol/client';
import type { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import type { OAuthClientProvider as Provider1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/* A common interface to the clients of both MCP SDKs. */

export const info = { name: 'test', version: '1' };
export const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;
/** The client information in each request of the second era. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': {},
};
export const automatic = { versionNegotiation: { mode: 'auto' } } as const;

/** The operations of a client, regardless of its SDK. */
export interface Connected {
  readonly list: () => Promise<unknown>;
  readonly call: (name: string, given: Record<string, unknown>) => Promise<unknown>;
  readonly resources: () => Promise<unknown>;
  readonly read: (uri: string) => Promise<unknown>;
  readonly prompts: () => Promise<unknown>;
  readonly prompt: (name: string, given: Record<string, string>) => Promise<unknown>;
  readonly version: () => string | undefined;
  readonly instructions: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** Resources and prompts: the clients of both SDKs request them in the same way. */
const contextOf = (client: Client1 | Client2) => ({
  resources: async () => ({
    ...(await client.listResources()),
    templates: (await client.listResourceTemplates()).resourceTemplates,
  }),
  read: (uri: string) => client.readResource({ uri }),
  prompts: async () => (await client.listPrompts()).prompts,
  prompt: (name: string, given: Record<string, string>) => client.getPrompt({ name, arguments: given }),
});

export async function first(transport: Http1 | Stdio1): Promise<Connected> {
  const client = new Client1(info);
  await client.connect(transport as Parameters<Client1['connect']>[0]);
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given) => client.callTool({ name, arguments: given }),
    ...contextOf(client),
    version: () => '2025-11-25',
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

export async function second(
  transport: Http2 | Stdio2,
  options: typeof pinned | typeof automatic | Record<never, never> = pinned,
): Promise<Connected> {
  const client = new Client2(info, options);
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given) => client.callTool({ name, arguments: given }),
    ...contextOf(client),
    version: () => client.getNegotiatedProtocolVersion(),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** What both SDKs require of their user: to store a few things, and to show an address to the person. */
export function oauthMemory(
  callbackUrl: string,
): Provider1 & Provider2 & { readonly asked: () => URL; readonly spoil: () => void } {
  let client: unknown;
  let tokens: Record<string, unknown> | undefined;
  let verifier = '';
  let asked: URL | undefined;
  return {
    redirectUrl: callbackUrl,
    clientMetadata: { client_name: 'A test', redirect_uris: [callbackUrl] },
    state: () => 'state of the client',
    clientInformation: () => client as never,
    saveClientInformation: (given: unknown) => void (client = given),
    tokens: () => tokens as never,
    saveTokens: (given: unknown) => void (tokens = given as Record<string, unknown>),
    redirectToAuthorization: (url: URL) => void (asked = url),
    saveCodeVerifier: (given: string) => void (verifier = given),
    codeVerifier: () => verifier,
    asked: () => {
      if (!asked) throw new Error('nobody was asked');
      return asked;
    },
    spoil: () => void (tokens = { ...tokens, access_token: 'expired' }),
  } as never;
}
