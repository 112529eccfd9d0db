import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A real HTTP server that plays any number of identity providers, each as well or badly as a test says. */
export interface KeyServer {
  readonly origin: string;
  /** The issuer of this name: a path, so that one server plays many. */
  issuer(name: string): string;
  /** Plays an honest provider from now on: discovery (with `change`) and these keys. */
  publish(name: string, keys: readonly object[], change?: object): void;
  discovers(name: string, behaviour: Behaviour): void;
  serves(name: string, behaviour: Behaviour): void;
  /** How often anything below this name was asked for. */
  hits(name: string): number;
  stop(): Promise<void>;
}

export const json =
  (body: unknown, status = 200): Behaviour =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));

export async function startKeyServer(): Promise<KeyServer> {
  const behaviours = new Map<string, Behaviour>();
  const hits = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const name = path.split('/')[1] ?? '';
    hits.set(name, (hits.get(name) ?? 0) + 1);
    (behaviours.get(path) ?? json({}, 404))(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  const issuer = (name: string) => `${origin}/${name}`;
  const discovers = (name: string, behaviour: Behaviour) =>
    void behaviours.set(`/${name}/.well-known/openid-configuration`, behaviour);
  const serves = (name: string, behaviour: Behaviour) => void behaviours.set(`/${name}/keys`, behaviour);
  return {
    origin,
    issuer,
    discovers,
    serves,
    publish: (name, keys, change = {}) => {
      discovers(name, json({ issuer: issuer(name), jwks_uri: `${issuer(name)}/keys`, ...change }));
      serves(name, json({ keys }));
    },
    hits: (name) => hits.get(name) ?? 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
