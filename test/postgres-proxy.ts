import type { Socket } from 'bun';
import { drained, sendAll } from './socket-writes.ts';

/**
 * A proxy in front of a PostgreSQL that counts how many responses its clients wait for. It reads both directions of the protocol
 * (postgresql.org/docs/current/protocol-message-formats.html).
 *
 * A wait begins when a client requests a response (Sync, Query or Flush) while none is pending. Requests sent during a wait are pipelined
 * and cost no further wait. Responses are delayed by `delayMs`, so that pipelining does not depend on which of two processes is faster.
 */
export interface PostgresProxy {
  /** The URL of the server behind it, through the proxy. */
  readonly url: string;
  /** The counts since the last call of {@link reset}. */
  counted(): Counted;
  reset(): void;
  stop(): void;
}

export interface Counted {
  readonly waits: number;
  /** Executed statements, including BEGIN and COMMIT. */
  readonly statements: number;
  /** Transactions that PostgreSQL refused with a serialization failure or a deadlock (SQLSTATE 40001, 40P01). */
  readonly retried: number;
  /** The texts of the statements in the order of sending; for prepared ones, the text of their Parse message. */
  readonly texts: readonly string[];
}

const asks = new Set(['S', 'Q', 'H']);

export async function startPostgresProxy(target: string, { delayMs = 0 } = {}): Promise<PostgresProxy> {
  const to = new URL(target);
  let waits = 0;
  let retried = 0;
  let texts: string[] = [];

  interface Link {
    server?: Socket<Link>;
    client: Socket<Link>;
    readonly early: Uint8Array[];
    readonly sent: MessageReader;
    readonly answered: MessageReader;
    waiting: boolean;
    readonly statements: Map<string, string>;
    bound: string;
  }

  const onClientMessage = (link: Link, type: string, body: Buffer) => {
    if (type === 'P') {
      const [name = '', text = ''] = body.toString('utf8').split('\0', 2);
      link.statements.set(name, text);
    }
    if (type === 'B') link.bound = body.toString('utf8').split('\0', 2)[1] ?? '';
    if (type === 'E') texts.push(link.statements.get(link.bound) ?? '');
    if (type === 'Q') texts.push(body.toString('utf8', 0, body.length - 1));
    if (asks.has(type) && !link.waiting) {
      link.waiting = true;
      waits++;
    }
  };
  const onServerMessage = (link: Link, type: string, body: Buffer) => {
    // The response to a Flush ends with the description of the statement.
    if (type === 'Z' || type === 'T' || type === 'n') link.waiting = false;
    if (type === 'E' && /\0C(40001|40P01)\0/.test(`\0${body.toString('latin1')}`)) retried++;
  };

  const listener = Bun.listen<Link>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (client) => {
        const link: Link = {
          client,
          early: [],
          sent: new MessageReader(true),
          answered: new MessageReader(false),
          waiting: false,
          statements: new Map(),
          bound: '',
        };
        client.data = link;
        void Bun.connect<Link>({
          hostname: to.hostname,
          port: Number(to.port || 5432),
          socket: {
            open: (server) => {
              server.data = link;
              link.server = server;
              for (const bytes of link.early.splice(0)) sendAll(server, bytes);
            },
            data: (_, bytes) => {
              const copy = Buffer.from(bytes);
              const deliver = () => {
                link.answered.read(copy, (type, body) => onServerMessage(link, type, body));
                sendAll(link.client, copy);
              };
              if (delayMs > 0) setTimeout(deliver, delayMs);
              else deliver();
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
        const copy = Buffer.from(bytes);
        link.sent.read(copy, (type, body) => onClientMessage(link, type, body));
        if (link.server) sendAll(link.server, copy);
        else link.early.push(copy);
      },
      drain: drained,
      close: (client) => void client.data.server?.end(),
      error: (client) => void client.data.server?.end(),
    },
  });

  const through = new URL(target);
  through.hostname = '127.0.0.1';
  through.port = String(listener.port);
  return {
    url: through.href,
    counted: () => ({ waits, statements: texts.length, retried, texts }),
    reset: () => {
      waits = 0;
      retried = 0;
      texts = [];
    },
    stop: () => listener.stop(true),
  };
}

/** Splits a stream of bytes into messages. The first message of a client has no type. */
class MessageReader {
  #bytes: Buffer = Buffer.alloc(0);
  #typed: boolean;

  constructor(isClient: boolean) {
    this.#typed = !isClient;
  }

  read(bytes: Buffer, on: (type: string, body: Buffer) => void): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const header = this.#typed ? 1 : 0;
      if (this.#bytes.length < header + 4) return;
      const length = this.#bytes.readUInt32BE(header);
      if (this.#bytes.length < header + length) return;
      const type = this.#typed ? String.fromCharCode(this.#bytes[0] ?? 0) : 'startup';
      on(type, this.#bytes.subarray(header + 4, header + length));
      this.#bytes = this.#bytes.subarray(header + length);
      // After a request for TLS (code 80877103) the real start-up message follows, also without a type.
      this.#typed = true;
    }
  }
}
