/** How much of a limit is left. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until it counts from zero again. */
  readonly resetMs: number;
  readonly exceeded: boolean;
}

/** What is known of one HTTP request besides what it says itself. */
interface Exchange {
  readonly requestId: string;
  /** Address of the peer. Asked for when it is needed: finding it out costs a sixth of an app launch (measured). */
  clientAddress(): string;
  /** The limit that this request came closest to: its answer says how much is left. */
  rate?: Rate;
}

const exchanges = new WeakMap<Request, Exchange>();

/** Remembers the exchange of a request for the routes that need it. */
export function beginExchange(request: Request, clientAddress: () => string): Exchange {
  const given = request.headers.get('x-request-id');
  // A client's own id is kept, so that both sides find the same line; anything odd in it would be an injection into logs.
  const requestId = given !== null && /^[\w.-]{1,64}$/.test(given) ? given : Bun.randomUUIDv7();
  const exchange: Exchange = { requestId, clientAddress };
  exchanges.set(request, exchange);
  return exchange;
}

export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request);
  if (!exchange) throw new Error('a request that did not come through the server');
  return exchange;
}
