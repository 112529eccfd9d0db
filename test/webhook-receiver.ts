interface Received {
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** A receiver of webhooks on a free port; a test sets its response. */
export function receiver() {
  const received: Received[] = [];
  const answering: { with: () => Response | Promise<Response> } = { with: () => new Response('thanks') };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const headers = Object.fromEntries(request.headers);
      const path = new URL(request.url).pathname;
      const one = { path, id: headers['webhook-id'] ?? '', body: await request.text(), headers };
      received.push(one);
      return answering.with();
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, received, answering, stop: () => server.stop(true) };
}
