import { perHost } from '../../host/host.ts';

/**
 * What ends when the server of this host stops: streams that would otherwise go on until their client leaves, and that the client opens
 * again at another server. A stream of a call that is under way is not among them: it may finish.
 */
export const endsWithServer = perHost(() => new Set<() => void>());
