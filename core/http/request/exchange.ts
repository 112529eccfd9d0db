/** The state of a rate limit for one key. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the next window. */
  readonly resetMs: number;
  readonly exceeded: boolean;
}

/** The server's data about one HTTP request, apart from its content. */
export interface Exchange {
  readonly requestId: string;
  /** The client address. Computed only when needed: it costs a sixth of an app launch (measured). */
  clientAddress(): string;
  /** The rate limit that this request is closest to, for the headers of its response. */
  rate?: Rate;
  /** The signed-in caller. */
  userId?: number;
  /** The tool that was called; the last one if a message calls several. */
  tool?: string;
}

const exchanges = new WeakMap<Request, Exchange>();

export function beginExchange(request: Request, clientAddress: () => string): Exchange {
  const given = request.headers.get('x-request-id');
  // A client's own id is kept, so that both sides find the same log line. Other characters could inject text into logs.
  const requestId = given !== null && /^[\w.-]{1,64}$/.test(given) ? given : Bun.randomUUIDv7();
  const exchange: Exchange = { requestId, clientAddress };
  exchanges.set(request, exchange);
  return exchange;
}

/** Records the caller for the access log. In tests a request may not have come through the server. */
export function noteCaller(request: Request, userId: number): void {
  const exchange = exchanges.get(request);
  if (exchange) exchange.userId = userId;
}

export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request);
  if (!exchange) throw new Error('a request that did not come through the server');
  return exchange;
}
