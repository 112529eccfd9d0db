import { fail } from './errors.ts';

/** A server as its users name it: origin and path of its address, without a slash at the end. Throws TypeError for an invalid URL. */
export function serverOriginOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** @throws Fault for a redirect, e.g. from http to https. Nobody is followed to another address, because the token is for this one. */
export function refuseRedirect({ status, headers, url }: Response): void {
  const place = headers.get('location');
  if (status < 300 || status >= 400 || place === null || !URL.canParse(place, url)) return;
  const [from, to] = [new URL(url).origin, new URL(place, url).origin];
  throw fail.UPSTREAM_FAILED(`The server at ${from} sends on to ${to}.`, {
    tip:
      from === to
        ? 'Check that --url names a Trivet server, and not a page before which one signs in.'
        : `If that is your server, use it: --url ${to}.`,
  });
}

/** What responds with pages, e.g. a proxy before which one signs in, or knows none of the routes. */
export const notTrivet = (url: string) =>
  fail.UPSTREAM_FAILED(`What answers at ${url} is not Trivet.`, {
    tip: 'Give --url the address of Trivet as it is before /console or /mcp, e.g. https://trivet.example.',
  });
