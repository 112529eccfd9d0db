const eventStream = /^text\/event-stream(?:;|$)/i;

/** Whether a response (from /mcp, or a file) is a stream. */
export const isStream = ({ headers }: Response): boolean =>
  headers.has('content-disposition') || eventStream.test(headers.get('content-type') ?? '');

/** Returns the same response, and calls `done` with its length when its body has ended or the client has cancelled it. */
export function watchEnd(response: Response, done: (bytes: number) => void): Response {
  // The answer to HEAD has no body. With an empty stream in its place Bun would send `Content-Length: 0`, not the size of the file.
  if (response.body === null) {
    done(0);
    return response;
  }
  const reader = response.body.getReader();
  let bytes = 0;
  let isOver = false;
  // Cancelling also settles the pending read, but `done` is called only once.
  const finish = () => {
    if (isOver) return;
    isOver = true;
    done(bytes);
  };
  // Without a pending pull nothing would notice that the stream breaks.
  const broken = (error: unknown) => {
    if (isOver) return;
    finish();
    try {
      breakOff(error);
    } catch {
      // The client has left.
    }
  };
  let breakOff = (_error: unknown) => {};
  void reader.closed.catch(broken);
  const watched = new ReadableStream<Uint8Array>({
    start: (controller) => {
      breakOff = (error) => controller.error(error);
    },
    pull: async (controller) => {
      try {
        const part = await reader.read();
        if (part.value) {
          bytes += part.value.byteLength;
          controller.enqueue(part.value);
          return;
        }
        controller.close();
        finish();
      } catch (error) {
        broken(error);
      }
    },
    cancel: (reason) => {
      finish();
      return reader.cancel(reason);
    },
  });
  return new Response(watched, { status: response.status, headers: response.headers });
}
