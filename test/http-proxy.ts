import type { Socket } from 'bun';
import { drained, sendAll } from './socket-writes.ts';

/**
 * A proxy in front of an HTTP server that fails like a network: it cuts the connection of the first requests to a path, before they arrive
 * or when their response comes.
 */
export interface HttpProxy {
  readonly origin: string;
  /** How many connections it has cut. */
  cut(): number;
  stop(): void;
}

interface Losses {
  /** The beginning of the request, e.g. `POST /api/results`. */
  readonly request: string;
  /** `answer`: the server did everything, but the client does not receive the response. */
  readonly lost: 'request' | 'answer';
  readonly times: number;
}

export function startHttpProxy(target: string, { request, lost, times }: Losses): HttpProxy {
  const to = new URL(target);
  let cut = 0;

  interface Link {
    server?: Socket<Link>;
    readonly client: Socket<Link>;
    readonly early: Uint8Array[];
    isMeant: boolean;
  }
  const lose = (link: Link) => {
    cut++;
    link.isMeant = false;
    link.client.end();
    link.server?.end();
  };

  const listener = Bun.listen<Link>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (client) => {
        const link: Link = { client, early: [], isMeant: false };
        client.data = link;
        void Bun.connect<Link>({
          hostname: to.hostname,
          port: Number(to.port),
          socket: {
            open: (server) => {
              server.data = link;
              link.server = server;
              for (const bytes of link.early.splice(0)) sendAll(server, bytes);
            },
            data: (_, bytes) => {
              if (link.isMeant && cut < times) lose(link);
              else sendAll(link.client, bytes.slice());
            },
            drain: drained,
            close: () => void link.client.end(),
            error: () => void link.client.end(),
            connectError: () => void link.client.end(),
          },
        }).catch(() => client.end());
      },
      data: (client, bytes) => {
        const link = client.data;
        // The head of a request begins a packet: clients send the next one after the response.
        if (new TextDecoder('latin1').decode(bytes.subarray(0, request.length)) === request) {
          link.isMeant = true;
          if (lost === 'request' && cut < times) return lose(link);
        }
        if (link.server) sendAll(link.server, bytes.slice());
        else link.early.push(bytes.slice());
      },
      drain: drained,
      close: (client) => void client.data.server?.end(),
      error: (client) => void client.data.server?.end(),
    },
  });
  return {
    origin: `http://127.0.0.1:${listener.port}`,
    cut: () => cut,
    stop: () => listener.stop(true),
  };
}
