import { isMediaType } from '../request/body.ts';

/** Whether a response (of /mcp, a file) continues after it has begun. */
export const isStream = ({ headers }: Response): boolean =>
  headers.has('content-disposition') || isMediaType(headers.get('content-type'), 'text/event-stream');

/** The same response. Calls `done` with its length when its body has ended or its reader has closed it. */
export function watchEnd(response: Response, done: (bytes: number) => void): Response {
  const reader = response.body?.getReader();
  let bytes = 0;
  let isOver = false;
  // A reader that leaves ends the part that was being waited for, too: still one end.
  const finish = () => {
    if (isOver) return;
    isOver = true;
    done(bytes);
  };
  // A stream that breaks while nobody takes from it would be noticed by no pull.
  const broken = (error: unknown) => {
    if (isOver) return;
    finish();
    try {
      breakOff(error);
    } catch {
      // Its reader has left.
    }
  };
  let breakOff = (_error: unknown) => {};
  void reader?.closed.catch(broken);
  const watched = new ReadableStream<Uint8Array>({
    start: (controller) => {
      breakOff = (error) => controller.error(error);
    },
    pull: async (controller) => {
      try {
        const part = await reader?.read();
        if (part?.value) {
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
      return reader?.cancel(reason);
    },
  });
  return new Response(watched, { status: response.status, headers: response.headers });
}
