import type { Host } from '../../../core/host/host.ts';

/** The path to which providers redirect. */
export const callbackPath = '/oauth/callback';

/** The address to register at a provider. */
export const callbackUrl = (host: Pick<Host, 'origin'>): string => `${host.origin()}${callbackPath}`;

/** The path to which providers send back-channel logouts. */
export const logoutPath = '/oauth/backchannel-logout';

/** The address to register at a provider for them. */
export const logoutUrl = (host: Pick<Host, 'origin'>): string => `${host.origin()}${logoutPath}`;
