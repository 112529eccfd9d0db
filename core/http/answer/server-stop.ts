import { perHost } from '../../host/host.ts';

/**
 * Streams to end when the server of this host stops. They would otherwise last until their client leaves; the client reopens them at
 * another server. The stream of a running call is not included: it may finish.
 */
export const endsWithServer = perHost(() => new Set<() => void>());
