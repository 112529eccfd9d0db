import type { Host } from '../../../core/host/host.ts';

/** The page that takes the code of a link. */
export const linkPath = '/oauth/link';

/**
 * The link of an invitation. The code is in the fragment: a browser sends that to no server, so it is in no log and in no Referer.
 */
export const invitationLink = (host: Pick<Host, 'origin'>, code: string): string =>
  `${host.origin()}${linkPath}#${code}`;
