import type { Host } from '../../../core/host/host.ts';

/** The page that takes the code of a link. */
export const linkPath = '/oauth/link';

/** The link of an invitation. The code is in the fragment: browsers do not send it to servers, so it appears in no log and no Referer. */
export const invitationLink = (host: Pick<Host, 'origin'>, code: string): string =>
  `${host.origin()}${linkPath}#${code}`;
