import type { Host } from '../../../core/host/host.ts';
import { Html, markup } from '../../../core/http/answer/html-page.ts';
import { sealer } from './browser.ts';
import type { AuthorizeRequest } from './authorize-request.ts';
import type { Parameters } from './form.ts';
import type { OauthClient } from '../oauth-clients/oauth-client.ts';
import { OauthError } from '../oauth-clients/oauth-error.ts';
import { pageAnswer } from './oauth-page.ts';
import { choosableWords, narrowScope, onlyRead, wordLine } from './oauth-scope.ts';
import { placeOf } from '../oauth-clients/redirect-uri.ts';
import { browserProviders } from './upstream.ts';

/** The request shown to a person, as it comes back with the form. */
export type Asked =
  | {
      readonly kind: 'code';
      readonly clientId: string;
      readonly redirectUri: string;
      readonly state: string | null;
      readonly challenge: string;
      readonly scope: string | null;
      readonly audience: readonly string[];
    }
  | { readonly kind: 'device'; readonly requestId: string; readonly scope: string | null }
  | { readonly kind: 'link'; readonly invitationId: number }
  | { readonly kind: 'console'; readonly page: string };

/** The kind of the sealed field. */
export const consentKind = 'consent';

interface Shown {
  readonly title: string;
  readonly lines: Html;
  readonly browser: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The optional scopes, inside the form. */
  readonly choices?: Html;
  /** Ways to go on without a provider. */
  readonly ways?: Html;
  /** For another request that is opened on the page, by its script. */
  readonly another?: Html;
  readonly script?: string;
}

/** A page that asks a person, with one button for each provider. @param lines with their own way to continue, no provider is needed. */
export function askingPage(
  host: Host,
  asked: Asked,
  { title, lines, browser, headers, choices, ways, another = markup``, script }: Shown,
): Response {
  if (browserProviders(host).length === 0 && !ways) return withoutProvider();
  const cancel = markup`<button class="plain" name="choice" value="cancel">Cancel</button>`;
  // Only one way is the primary one: the other buttons come second.
  const form = providerForm(host, asked, browser, {
    choices: choices ?? [],
    last: cancel,
    isSecond: ways !== undefined,
  });
  const body = markup`${lines} ${ways ?? []} ${form} ${another}`;
  return pageAnswer({ title, body, ...(headers && { headers }), ...(script !== undefined && { script }) });
}

/** A form with one button for each provider; nothing without one. */
export function providerForm(
  host: Host,
  asked: Asked,
  browser: string,
  {
    choices = [],
    last = [],
    isSecond = false,
  }: {
    readonly choices?: Html | readonly [];
    readonly last?: Html | readonly [];
    /** Another way is offered above it. */
    readonly isSecond?: boolean;
  } = {},
): Html {
  const offered = browserProviders(host);
  if (offered.length === 0) return markup``;
  const sealed = sealer(host).seal(consentKind, browser, asked);
  const buttons = offered.map(
    ({ name }) =>
      markup`<button name="choice" value="${`with ${name}`}"${isSecond ? new Html(' class="plain"') : []}>Continue with ${labelOf(name)}</button>`,
  );
  return markup`<form method="post" action="/oauth/continue">
    <input type="hidden" name="request" value="${sealed}" />
    ${choices} ${buttons} ${last}
  </form>`;
}

const labels: Readonly<Record<string, string>> = {
  google: 'Google',
  apple: 'Apple',
  microsoft: 'Microsoft',
  facebook: 'Facebook',
  dev: 'the provider of this machine (--dev)',
};

const labelOf = (name: string) => labels[name] ?? name;

const withoutProvider = () =>
  pageAnswer({
    status: 503,
    title: 'Nobody can sign in here yet',
    body: markup`<p>This server has no identity provider that works in a browser.</p>
      <p class="note">
        For whoever runs it: add <code>clientId</code> and <code>clientSecret</code> to a provider in the
        configuration, or start it with <code>--dev</code> on this machine.
      </p>`,
  });

/** The question whether a program may act for the person. What the program says about itself is marked as its own words. */
export function consentPage(
  host: Host,
  { client, redirectUri, state, challenge, scope, audience }: AuthorizeRequest,
  given: Pick<Shown, 'browser' | 'headers'>,
): Response {
  const asked = {
    kind: 'code',
    clientId: client.id,
    redirectUri,
    state,
    challenge,
    scope,
    audience,
  } as const;
  const lines = markup`${whoAsks(client)}
    <p>You then return to <strong>${placeOf(redirectUri)}</strong>.</p>
    ${startedYourself}`;
  const choices = whatIsAsked(scope);
  return askingPage(host, asked, { title: 'Let this program act for you?', lines, choices, ...given });
}

export function whoAsks({ name, host: verified }: OauthClient): Html {
  return verified === null
    ? markup`<p>
        A program that calls itself <strong>“${name}”</strong> asks for access. Nobody has checked that name.
      </p>`
    : markup`<p>A program of <strong>${verified}</strong> asks for access. It calls itself “${name}”.</p>`;
}

export const startedYourself = markup`<p class="note">Continue only if you have just started this yourself.</p>`;

const tick = (name: string, text: string, ticked: boolean): Html =>
  markup`<label class="tick"><input type="checkbox" name="${name}" value="yes"${ticked ? new Html(' checked') : []}> ${text}</label>`;

/** What a program asks for, with a box for each word: the person may deny some, or restrict the program to reading. */
export function whatIsAsked(scope: string | null): Html {
  const isReading = scope?.split(' ').includes(onlyRead) ?? false;
  const words = choosableWords(scope).map((word) => tick(`allow-${word}`, wordLine(word, isReading), true));
  const everything = isReading
    ? markup`<p>Read everything that you may read here, also about people.</p>`
    : markup`<p>Everything that you may do here, also managing people and creating access tokens.</p>`;
  return markup`<fieldset>
    <legend>It could:</legend>
    ${words.length === 0 ? everything : words}
    ${isReading ? [] : tick(`allow-${onlyRead}`, 'Let it only read', false)}
  </fieldset>`;
}

/** The request after the person's choice. @throws OauthError when nothing is ticked. */
export function narrowRequest<A extends Extract<Asked, { readonly scope: string | null }>>(
  asked: A,
  { one }: Parameters,
): A {
  const isTicked = (word: string) => one(`allow-${word}`) === 'yes';
  const kept = new Set(choosableWords(asked.scope).filter(isTicked));
  const scope = narrowScope(asked.scope, { kept, readOnly: isTicked(onlyRead) });
  if (scope === undefined)
    throw new OauthError(
      'invalid_request',
      'Nothing is ticked that the program could use: it may do nothing. Go back and tick something, or cancel.',
    );
  return { ...asked, scope };
}
