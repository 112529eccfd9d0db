/** A signed-in user. */
export interface Session {
  /** `sub` of the tokens, which is `auth-userid` of the calls to action. */
  readonly userId: string;
  readonly email?: string;
  /** Epoch milliseconds of the device, for display: the SDK itself does not trust the device's clock alone. */
  readonly expiresAt: number;
  readonly isGuest?: true;
  /** Right after a `link` with `switch`: the guest who is part of this user now. */
  readonly mergedFrom?: string;
}

/** What is stored of a session. Tabs share it. */
export interface StoredSession {
  readonly access: string;
  readonly refresh: string;
  /** Milliseconds that the access token lives. */
  readonly ttl: number;
  /** When the access token came, by the device's clock (epoch ms). */
  readonly at: number;
  /** The same moment on the clock of this process. It means nothing in another process and is not stored. */
  readonly since?: number;
  /** Not stored: it is about this answer alone. */
  readonly mergedFrom?: unknown;
}

/** The stored text as a session; null if it is none. */
export function parseSession(text: string | null | undefined): StoredSession | null {
  try {
    const { access, refresh, ttl, at } = JSON.parse(text ?? 'null') as Record<string, unknown>;
    return typeof access === 'string' &&
      typeof refresh === 'string' &&
      typeof ttl === 'number' &&
      typeof at === 'number' &&
      claimsOf(access).sub !== undefined
      ? { access, refresh, ttl, at }
      : null;
  } catch {
    return null;
  }
}

export const sessionText = ({ access, refresh, ttl, at }: StoredSession): string =>
  JSON.stringify({ access, refresh, ttl, at });

/** The session of an answer of the server; null if the answer has no tokens. */
export function sessionOf(
  body: Readonly<Record<string, unknown>>,
  at: number,
  since: number,
): StoredSession | null {
  const { accessToken: access, refreshToken: refresh, expiresIn, mergedFrom } = body;
  const ttl = 1000 * Number(expiresIn);
  const session = parseSession(JSON.stringify({ access, refresh, ttl, at }));
  return session && Object.assign(session, { since, mergedFrom });
}

/**
 * Milliseconds that the access token still lives. Both clocks must agree that it lives: the one of the process may stand while the device
 * sleeps, and the device's may be set. A token that seems to come from the future is of a clock that was set back: its age is unknown.
 */
export function remaining({ ttl, at, since }: StoredSession, now: number, uptime: number): number {
  const left = at + ttl - now;
  const byDevice = left > ttl + 1000 ? 0 : left;
  return since === undefined ? byDevice : Math.min(left > ttl ? ttl : left, since + ttl - uptime);
}

/** The session on the server: the tokens that follow each other are of the same one. */
export const sidOf = ({ access }: StoredSession): unknown => claimsOf(access).sid;

export function shown(session: StoredSession): Session {
  const { sub, email, is_guest: isGuest } = claimsOf(session.access);
  const known: { -readonly [K in keyof Session]: Session[K] } = {
    userId: String(sub),
    expiresAt: session.at + session.ttl,
  };
  if (typeof email === 'string') known.email = email;
  if (isGuest === true) known.isGuest = true;
  if (session.mergedFrom) known.mergedFrom = String(session.mergedFrom);
  return known;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The claims of a token. By hand: Hermes has neither `atob` nor `TextDecoder`. @throws for a text that is no token. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  let bits = 0;
  let held = 0;
  let encoded = '';
  for (const digit of (token.split('.')[1] ?? '').split('')) {
    held = (held << 6) | digits.indexOf(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      encoded += '%' + (0x100 | ((held >> bits) & 0xff)).toString(16).slice(1);
    }
  }
  return JSON.parse(decodeURIComponent(encoded)) as Record<string, unknown>;
}
