import type { TestKernel } from '../../../test/kernel.ts';

/** A page that a browser shows, or the address outside to which it was sent. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Where the last redirect leads, if the browser does not follow it. */
  readonly left: URL | null;
}

/** What a browser does, with its cookies, in place of a person. */
export interface Browser {
  /** Every request that it sent: address and Referer. */
  readonly sent: ReadonlyArray<{ readonly url: string; readonly referer: string | null }>;
  go(url: string, headers?: Readonly<Record<string, string>>): Promise<Page>;
  /** Sends the form of a page, with the hidden fields and the ticked boxes that it has. */
  submit(
    page: Page,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Page>;
  /** Forgets its cookies. */
  forget(): void;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** A browser that follows redirects until one leads to an address that begins with one of these. */
export function openBrowser(...outside: readonly string[]): Browser {
  // As in browsers: the ports of a host share them.
  const jars = new Map<string, Map<string, Cookie>>();
  const sent: Array<{ url: string; referer: string | null }> = [];

  const cookiesFor = ({ hostname, pathname }: URL) =>
    [...(jars.get(hostname) ?? [])]
      .filter(
        ([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');

  const keep = ({ hostname }: URL, response: Response) => {
    const jar = jars.get(hostname) ?? new Map<string, Cookie>();
    jars.set(hostname, jar);
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split(/;\s*/);
      const at = pair.indexOf('=');
      const path = attributes.find((one) => /^path=/i.test(one))?.slice('path='.length) ?? '/';
      jar.set(pair.slice(0, at), { value: pair.slice(at + 1), path });
    }
  };

  const load = async (start: URL, init: RequestInit, from: Page | null): Promise<Page> => {
    let url = start;
    let request = init;
    const sameOrigin =
      from?.url.origin === start.origin && from.headers.get('referrer-policy') === 'same-origin';
    let referer = sameOrigin ? (from?.url.href ?? null) : null;
    for (let hops = 0; hops < 15; hops++) {
      const headers = new Headers(request.headers);
      headers.set('cookie', cookiesFor(url));
      if (referer !== null) headers.set('referer', referer);
      sent.push({ url: url.href, referer });
      const response = await fetch(url, { ...request, headers, redirect: 'manual' });
      keep(url, response);
      const text = await response.text();
      const location = response.headers.get('location');
      const page = { url, status: response.status, text, headers: response.headers, left: null };
      if (location === null) return page;
      const next = new URL(location, url);
      if (outside.some((prefix) => next.href.startsWith(prefix))) return { ...page, left: next };
      url = next;
      request = {};
      referer = null;
    }
    throw new Error('too many redirects');
  };

  return {
    sent,
    go: (url, headers = {}) => load(new URL(url), { headers }, null),
    submit: (page, fields, headers = {}) => {
      // A page may offer several ways: the form that has the fields.
      const forms = [...page.text.matchAll(/<form method="post" action="([^"]+)"[^]*?<\/form>/g)];
      const hasFields = (text: string) =>
        Object.keys(fields).every((name) => text.includes(`name="${name}"`));
      const [text, action] = forms.find(([form]) => hasFields(form)) ?? forms[0] ?? [];
      if (text === undefined || action === undefined) throw new Error(`no form: ${page.status} ${page.text}`);
      const body = new URLSearchParams({ ...hiddenFields(text), ...tickedBoxes(text), ...fields });
      const init = { method: 'POST', body, headers: { origin: page.url.origin, ...headers } };
      return load(new URL(action, page.url), init, page);
    },
    forget: () => jars.clear(),
  };
}

/** The hidden fields of a page. */
export const hiddenFields = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')],
    ),
  );

/** The boxes of a page that are ticked. */
export const tickedBoxes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="checkbox" name="([^"]+)" value="([^"]*)" checked>/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );

/** A PKCE pair. */
export function newProof() {
  const verifier = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  return { verifier, challenge: new Bun.CryptoHasher('sha256').update(verifier).digest('base64url') };
}

/** Consents and signs in with the provider `dev`. @returns the page that follows. */
export async function consentAs(browser: Browser, page: Page, email: string): Promise<Page> {
  const atDev = await browser.submit(page, { choice: 'with dev' });
  return browser.submit(atDev, { email });
}

export const commandLine = { id: 'trivet-cli', redirectUri: 'http://127.0.0.1:1/callback' };

/** The address at which a client sends a person, with changes; undefined takes a parameter away. */
export function authorizeUrl(
  trivet: Pick<TestKernel, 'origin'>,
  challenge: string,
  change: Readonly<Record<string, string | undefined>> = {},
): string {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: commandLine.id,
    redirect_uri: commandLine.redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'the state of the client',
    ...change,
  };
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) given.append(name, value);
  return `${trivet.origin}/oauth/authorize?${given}`;
}

/** Sends a form to an endpoint of clients. */
export const postForm = (
  trivet: Pick<TestKernel, 'fetch'>,
  path: string,
  body: Readonly<Record<string, string>>,
): Promise<Response> => trivet.fetch(path, { method: 'POST', body: new URLSearchParams(body) });

/** A code for the command line, signed in by `dev`, and what redeems it. */
export async function newCode(
  trivet: TestKernel,
  email = 'ann@example.org',
  change: Readonly<Record<string, string | undefined>> = {},
) {
  const { verifier, challenge } = newProof();
  const redirectUri = change['redirect_uri'] ?? commandLine.redirectUri;
  const browser = openBrowser(redirectUri);
  const { left } = await consentAs(browser, await browser.go(authorizeUrl(trivet, challenge, change)), email);
  const code = left?.searchParams.get('code');
  if (!code) throw new Error(`no code: ${String(left)}`);
  const clientId = change['client_id'] ?? commandLine.id;
  return {
    browser,
    left,
    request: {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    },
  };
}

/** The answer of the token endpoint to a good code. */
export const oauthTokenAnswer = async (trivet: TestKernel): Promise<Response> =>
  postForm(trivet, '/oauth/token', (await newCode(trivet)).request);

/** The tokens of a person who signed in by browser. */
export async function oauthTokens(
  trivet: TestKernel,
  email?: string,
  change: Readonly<Record<string, string | undefined>> = {},
) {
  const response = await postForm(trivet, '/oauth/token', (await newCode(trivet, email, change)).request);
  if (response.status !== 200) throw new Error(`no tokens: ${await response.text()}`);
  return (await response.json()) as {
    access_token: string;
    refresh_token: string;
    scope: string;
    expires_in: number;
  };
}

/** Registers a client. @returns its id. */
export async function registered(trivet: TestKernel, ...redirectUris: readonly string[]): Promise<string> {
  const { body } = await trivet.post('/oauth/register', {
    client_name: 'A program',
    redirect_uris: redirectUris,
  });
  return String(body['client_id']);
}
