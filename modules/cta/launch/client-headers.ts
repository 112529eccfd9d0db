/** The headers of a request; names are lower case. */
export type GivenHeaders = Pick<Headers, 'get'>;

/** The headers of Area B (docs/contract.md, Headers). */
export interface ClientHeaders {
  readonly tenantId: string;
  /** A signed 64-bit integer as its shortest decimal text: a JavaScript number would make two users one. */
  readonly userId: string;
  readonly appVersion: string | null;
  readonly hotupdateVersion: string | null;
  readonly packageName: string | null;
  /** The time zone of the device, e.g. `Europe/Rome`; quiet hours are in it. */
  readonly timeZone: string | null;
}

/** How to respond to a client's version: `below` 1 or absent gets the empty response. */
export function apiVersion(given: GivenHeaders): 'below' | 'ok' | 'invalid' {
  const text = given.get('api_version');
  if (text === null) return 'below';
  const version = int64(text);
  if (version === undefined) return 'invalid';
  return version < 1n ? 'below' : 'ok';
}

/**
 * Reads the headers of both endpoints of Area B. `gated` precedes every other check: such a client gets the empty response however invalid
 * the rest of its request is. Messages begin with `Invalid request: ` and never repeat a value.
 */
export function parseClientHeaders(
  given: GivenHeaders,
):
  | { readonly kind: 'gated' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'client'; readonly client: ClientHeaders } {
  const version = apiVersion(given);
  if (version === 'below') return { kind: 'gated' };
  if (version === 'invalid') return invalid('header api_version must be a long');
  const userId = given.get('auth-userid') ?? undefined;
  if (userId === undefined) return invalid('header auth-userid is required');
  const user = int64(userId);
  if (user === undefined) return invalid('header auth-userid must be a signed 64-bit integer');
  const tenantId = tenant(given);
  if (tenantId === undefined) {
    return invalid(
      'header x-tenant-id must be 1 to 128 letters, digits, dots, underscores, colons or hyphens',
    );
  }
  for (const name of textHeaders) {
    if ((given.get(name)?.length ?? 0) > maxTextLength) {
      return invalid(`header ${name} must have at most ${maxTextLength} characters`);
    }
  }
  return {
    kind: 'client',
    client: {
      tenantId,
      userId: String(user),
      appVersion: given.get('app_version') || null,
      hotupdateVersion: given.get('hotupdate_version') || given.get('codepush_version') || null,
      packageName: given.get('package_name') || null,
      // A zone that does not exist, or is too long for one, counts as absent: a launch is never refused for it.
      timeZone: given.get('tz') || null,
    },
  };
}

/** The tenant a request names, `default` when it does not name a tenant, undefined when the name is invalid. */
export function tenant(given: GivenHeaders): string | undefined {
  const tenantId = (given.get('x-tenant-id') ?? 'default').trim();
  return /^[A-Za-z0-9._:-]{1,128}$/.test(tenantId) ? tenantId : undefined;
}

const textHeaders = ['app_version', 'hotupdate_version', 'codepush_version', 'package_name'] as const;
const maxTextLength = 256;

/** Sixty-four characters leave room for leading zeros and keep the conversion of a hostile header short. */
function int64(text: string): bigint | undefined {
  if (!/^-?\d{1,64}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value === BigInt.asIntN(64, value) ? value : undefined;
}

const invalid = (problem: string) => ({ kind: 'invalid', message: `Invalid request: ${problem}` }) as const;
