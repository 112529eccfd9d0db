import { decodeJwt, type JWTPayload } from 'jose';
import { startTestKernel, stillClock, type StillClock, type TestKernel } from '../../../test/kernel.ts';
import { mintDevIdToken } from '../providers/dev-provider.ts';

/** The tokens of an answer. */
export interface Signed {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  readonly claims: JWTPayload;
  readonly userId: number;
}

const signed = (body: Record<string, unknown>): Signed => {
  const accessToken = String(body['accessToken']);
  const claims = decodeJwt(accessToken);
  return {
    accessToken,
    claims,
    userId: Number(claims.sub),
    refreshToken: String(body['refreshToken']),
    idToken: String(body['idToken']),
  };
};

/** A server with guests, and what an app asks of it. */
export async function startGuestWorld(
  settings: Readonly<Record<string, string>> = {},
  clock: StillClock = stillClock(),
) {
  const trivet: TestKernel = await startTestKernel({
    clock,
    settings: { guests: 'true', 'rate-guest': '0', ...settings },
  });
  const asked = async (method: string, path: string, token: string, body?: object) => {
    const response = await trivet.fetch(path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    ...trivet,
    clock,
    asked,
    guest: async (body: object = { resources: [] }) => {
      const answer = await trivet.post('/v1/auth/guest', body);
      if (answer.status !== 200) throw new Error(`a guest was answered ${answer.status}`);
      return signed(answer.body);
    },
    person: async (email: string) => signed((await trivet.signIn(email)) as never),
    /** Links the identity that a person has at the provider `dev`. */
    link: async (token: string, email: string, more: object = {}) => {
      const identifier = await mintDevIdToken(trivet.kernel.host, email);
      const answer = await asked('POST', '/v1/auth/link', token, { idProvider: 'dev', identifier, ...more });
      return { ...answer, ...(answer.status === 200 ? signed(answer.body) : signedNothing) };
    },
    refresh: (refreshToken: string) => trivet.post('/v1/auth/token/refresh', { refreshToken }),
    identities: async (token: string) =>
      (await asked('GET', '/v1/auth/identities', token)).body['identities'] as {
        identityId: number;
        provider: string;
      }[],
  };
}

const signedNothing: Signed = { accessToken: '', refreshToken: '', idToken: '', claims: {}, userId: 0 };

export type GuestWorld = Awaited<ReturnType<typeof startGuestWorld>>;

/** The code and the cause of an error. */
export const errorOf = ({ body }: { readonly body: Record<string, unknown> }) => {
  const { code, cause } = (body['error'] ?? {}) as { code?: string; cause?: string };
  return cause === undefined ? code : `${code} ${cause}`;
};
