import type { Socket } from 'bun';

/** The bytes that a socket has not accepted yet. */
const unsent = new WeakMap<object, Uint8Array[]>();

/** Writes bytes to a socket; bytes that it does not accept now are written when it is drained. */
export function sendAll<T>(socket: Socket<T>, bytes: Uint8Array): void {
  const queue = unsent.get(socket);
  if (queue && queue.length > 0) {
    queue.push(bytes);
    return;
  }
  const taken = socket.write(bytes);
  if (taken < bytes.length) unsent.set(socket, [bytes.subarray(Math.max(0, taken))]);
}

/** The handler `drain` of a socket that {@link sendAll} writes to. */
export function drained<T>(socket: Socket<T>): void {
  const queue = unsent.get(socket)?.splice(0) ?? [];
  for (const bytes of queue) sendAll(socket, bytes);
}
