import { refuseInsideTx } from '../../../core/db/query/db.ts';
import { fail } from '../../../core/base/errors.ts';
import { perHost } from '../../../core/host/host.ts';
import type { Clock } from '../../../core/base/clock.ts';
import { nodeNet } from '../../../core/base/late-node.ts';
import type { Log } from '../../../core/base/log.ts';
import { fetchForeign, ForeignResponseFault, readForeign } from '../providers/foreign-response.ts';
import { plainClientName } from './client-name.ts';
import type { OauthClient } from './oauth-client.ts';
import { OauthError } from './oauth-error.ts';
import { isPublicAddress } from './public-address.ts';
import { isRedirectUri } from './redirect-uri.ts';

/*
 * Clients that publish a document about themselves: their id is its address (draft-ietf-oauth-client-id-metadata-document). Anybody
 * can make this server fetch one, so it fetches little, from the Internet only, and from the address that it has checked.
 */
const limits = {
  bytes: 5 * 1024,
  timeoutMs: 3_000,
  freshMs: 10 * 60_000,
  /** A document that could not be had is not asked for again in this time. */
  failedMs: 60_000,
  /** How long a document is used that cannot be read again: its host is down, or others keep this server busy with slow ones. */
  staleMs: 24 * 60 * 60_000,
  kept: 1_000,
  atOnce: 10,
} as const;

/** How a document is fetched. */
export interface DocumentNetwork {
  /** The addresses of a name. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
  /** One request to this address for this URL. */
  readonly get: (url: URL, address: string, signal: AbortSignal) => Promise<Response>;
}

const internet: DocumentNetwork = {
  resolve: async (name) => (await Bun.dns.lookup(name)).map(({ address }) => address),
  get: (url, address, signal) => {
    const { hostname } = url;
    const at = new URL(url);
    // Another look-up could answer another address (DNS rebinding). The certificate is still checked against the name.
    at.hostname = address.includes(':') ? `[${address}]` : address;
    const headers = { host: hostname, accept: 'application/json' };
    return fetchForeign(at, { headers, keepalive: false, signal, tls: { serverName: hostname } });
  },
};

/** Whether an id has the form of the address of a document: https, a name without port, a path, nothing that is normalized. */
export function isDocumentId(id: string): boolean {
  if (!id.startsWith('https://') || id.length > 512 || !URL.canParse(id)) return false;
  const url = new URL(id);
  return (
    url.href === id &&
    url.pathname !== '/' &&
    `${url.port}${url.username}${url.password}${url.search}${url.hash}` === '' &&
    !id.includes('?') &&
    !id.includes('#') &&
    /\.[0-9-]*[a-z][a-z0-9-]*$/.test(url.hostname) &&
    nodeNet().isIP(url.hostname) === 0
  );
}

/** The clients of documents, remembered in memory. */
export const clientDocuments = perHost(({ clock, log }) => documents({ clock, log, network: internet }));

export function documents({
  clock,
  log,
  network,
}: {
  readonly clock: Clock;
  readonly log: Log;
  readonly network: DocumentNetwork;
}) {
  const known = new Map<string, KnownDocument>();
  const loading = new Map<string, Promise<OauthClient | null>>();

  const stale = (id: string): OauthClient | null => {
    const before = known.get(id);
    return before && clock.now() - before.readAt < limits.staleMs ? before.client : null;
  };

  const load = async (id: string): Promise<OauthClient | null> => {
    const now = clock.now();
    let document: KnownDocument;
    try {
      document = { client: await fetchDocument(id, network), readAt: now, until: now + limits.freshMs };
    } catch (error) {
      const isAnswer = error instanceof DocumentFault && !error.isPassing;
      const cause = error instanceof DocumentFault ? error.message : 'unreachable';
      log.warn('client_document_refused', { host: new URL(id).hostname, cause });
      const client = isAnswer ? null : stale(id);
      document = { client, readAt: known.get(id)?.readAt ?? now, until: clock.now() + limits.failedMs };
    }
    known.delete(id);
    known.set(id, document);
    const [oldest] = known.keys();
    if (known.size > limits.kept && oldest !== undefined) known.delete(oldest);
    return document.client;
  };

  return {
    /** @throws OauthError invalid_client, Fault RATE_LIMITED. */
    find: async (id: string): Promise<OauthClient> => {
      const remembered = known.get(id);
      let client = remembered && remembered.until > clock.now() ? remembered.client : undefined;
      if (client === undefined) {
        if (loading.size >= limits.atOnce && !loading.has(id)) {
          const before = stale(id);
          if (before) return before;
          throw fail.RATE_LIMITED('Too many documents of clients are being fetched.', { retryAfter: 5 });
        }
        const one = loading.get(id) ?? load(id).finally(() => loading.delete(id));
        loading.set(id, one);
        client = await one;
      }
      if (client) return client;
      throw new OauthError('invalid_client', 'The document of this client cannot be used.');
    },
  };
}

interface KnownDocument {
  /** null: there is none that can be used. */
  readonly client: OauthClient | null;
  /** When the client was read, in ms. */
  readonly readAt: number;
  /** When it is read again, in ms. */
  readonly until: number;
}

/** Why a document is refused, in one word for the log. */
class DocumentFault extends Error {
  constructor(
    cause: string,
    /** It says nothing about the document: it may be had later. */
    readonly isPassing = false,
  ) {
    super(cause);
  }
}

async function fetchDocument(id: string, network: DocumentNetwork): Promise<OauthClient> {
  refuseInsideTx('fetch');
  const url = new URL(id);
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new DocumentFault('slow', true)), { once: true });
  });
  const addresses = await Promise.race([network.resolve(url.hostname), late]);
  const [address] = addresses;
  // One private address among public ones: whoever owns the name chose it.
  if (address === undefined || !addresses.every(isPublicAddress)) throw new DocumentFault('address');
  const response = await network.get(url, address, signal);
  if (response.status !== 200)
    throw new DocumentFault(`status ${response.status}`, response.status >= 500 || response.status === 429);
  return clientIn(id, await bodyOf(response));
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  let bytes: Buffer;
  try {
    bytes = await readForeign(response, limits.bytes);
  } catch (error) {
    throw error instanceof ForeignResponseFault ? new DocumentFault(error.reason) : error;
  }
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Its text would be in the error.
  }
  throw new DocumentFault('json');
}

/** The client that a document describes. @throws DocumentFault. */
function clientIn(id: string, document: Readonly<Record<string, unknown>>): OauthClient {
  const { client_id: named, client_name: name, redirect_uris: uris } = document;
  const method = document['token_endpoint_auth_method'] ?? 'none';
  if (named !== id) throw new DocumentFault('client_id');
  // A secret that everybody can read is none, and we do not check the signature of a client.
  if (method !== 'none' || 'client_secret' in document) throw new DocumentFault('secret');
  const all: unknown[] = Array.isArray(uris) ? uris : [];
  const redirectUris = all.filter((uri) => typeof uri === 'string').filter(isRedirectUri);
  if (redirectUris.length === 0 || redirectUris.length !== all.length || all.length > 20)
    throw new DocumentFault('redirect_uris');
  const { hostname } = new URL(id);
  return {
    id,
    name: (typeof name === 'string' && plainClientName(name)) || hostname,
    host: hostname,
    redirectUris,
  };
}
