import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** An OpenID provider that checks nothing, neither PKCE nor nonce, and notes every request. */
export interface CarelessProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly requests: ReadonlyArray<{ readonly path: string; readonly text: string }>;
  /** The claims of the next ID tokens, besides those that are right. */
  claims: Record<string, unknown>;
  /** Answers everything with 503. */
  down: boolean;
  stop(): Promise<void>;
}

export async function startCarelessProvider(): Promise<CarelessProvider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const requests: Array<{ path: string; text: string }> = [];
  const clientId = 'trivet-at-careless';
  const nonces = new Map<string, string>();
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const body = await request.text();
    requests.push({ path: url.pathname, text: JSON.stringify([request.url, [...request.headers], body]) });
    if (provider.down) return new Response('down', { status: 503 });
    const { issuer } = provider;
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
        });
      case '/jwks':
        return Response.json({ keys: [jwk] });
      case '/auth': {
        const code = crypto.randomUUID();
        nonces.set(code, url.searchParams.get('nonce') ?? '');
        const back = new URLSearchParams({ code, state: url.searchParams.get('state') ?? '', iss: issuer });
        return Response.redirect(`${url.searchParams.get('redirect_uri')}?${back}`, 302);
      }
      case '/token': {
        const nonce = nonces.get(new URLSearchParams(body).get('code') ?? '');
        const iat = Math.floor(Date.now() / 1000);
        const right = { iss: issuer, aud: clientId, sub: 'somebody', nonce, iat, exp: iat + 300 };
        const idToken = await new SignJWT({ ...right, ...provider.claims })
          .setProtectedHeader({ alg: 'RS256', kid: 'one' })
          .sign(privateKey);
        return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: idToken });
      }
      default:
        return new Response(null, { status: 404 });
    }
  };
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  const provider: CarelessProvider = {
    issuer: `http://127.0.0.1:${server.port}`,
    clientId,
    requests,
    claims: {},
    down: false,
    stop: () => server.stop(true),
  };
  return provider;
}
