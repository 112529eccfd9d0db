import { fail } from './errors.ts';

/** A server as its users name it: origin and path of its address, without a slash at the end. Throws TypeError for an invalid URL. */
export function serverOriginOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** @throws Fault for a redirect, e.g. from http to https. Redirects are not followed, because the token is for this address only. */
export function refuseRedirect({ status, headers, url }: Response): void {
  const place = headers.get('location');
  if (status < 300 || status >= 400 || place === null || !URL.canParse(place, url)) return;
  const [from, to] = [new URL(url).origin, new URL(place, url).origin];
  throw fail.UPSTREAM_FAILED(`The server at ${from} sends on to ${to}.`, {
    tip:
      from === to
        ? 'Check that --url names a Trivet server, and not a page on which one signs in to reach it.'
        : `If that is your server, use it: --url ${to}.`,
  });
}

/** For a server that responds with pages, e.g. a proxy with its own sign-in, or that knows none of the routes. */
export const notTrivet = (url: string) =>
  fail.UPSTREAM_FAILED(`What answers at ${url} is not Trivet.`, {
    tip: 'Give --url the address of Trivet as it is before /console or /mcp, e.g. https://trivet.example.',
  });
