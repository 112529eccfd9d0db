import * as fc from 'fast-check';
import { argumentsFor, blurred, hostile, spoilt, type JsonSchema, type Pool } from './arguments.ts';
import type { Sent } from './target.ts';

/** One tool as `GET /api/tools` shows it. */
export interface Tool {
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

export const json = (value: fc.Arbitrary<unknown>) =>
  blurred(value.map((each) => JSON.stringify(each) ?? ''));

export const mediaType = fc.oneof(
  { weight: 30, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'text/plain',
    'application/json; charset=utf-16',
    'multipart/form-data',
    'application/xml',
    '',
  ),
);
/** Values that HTTP allows in a header; raw sockets test the rest. */
export const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    '1.5',
    '99999999999999999999',
    '9223372036854775807',
    'default',
    '*',
    'null',
  ),
  fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,60}[\x21-\x7e])?$/),
);
export const bearer = (token: string) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(`Bearer ${token}`) },
    headerValue,
    headerValue.map((value) => `Bearer ${value}`.trim()),
  );

export function sent(
  method: string,
  path: string | fc.Arbitrary<string>,
  headers: Readonly<Record<string, fc.Arbitrary<string>>>,
  body?: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<Sent> {
  return fc
    .record({
      path: typeof path === 'string' ? fc.constant(path) : path,
      headers: fc.record(headers, {
        requiredKeys: Object.keys(headers).filter((name) => name === 'content-type'),
      }),
      body: body ?? fc.constant(undefined),
    })
    .map(({ path, headers, body }) => ({
      method,
      path,
      headers: headers as Record<string, string>,
      ...(body ? { body } : {}),
    }));
}

export function toolRequest(
  { name, inputSchema }: Tool,
  pool: Pool,
  token: () => string,
): fc.Arbitrary<Sent> {
  const key = fc.option(fc.oneof(fc.constantFrom('k', 'k2'), headerValue), { nil: undefined, freq: 8 });
  return fc
    .tuple(json(argumentsFor(inputSchema, pool)), mediaType, key)
    .map(([body, type, idempotencyKey]) => ({
      method: 'POST',
      path: `/api/tools/${name}`,
      headers: {
        'content-type': type,
        authorization: `Bearer ${token()}`,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body,
    }));
}

/** The same tools by JSON-RPC at `/mcp`, and everything else in the protocol. */
export function mcpMessage(tools: readonly Tool[], pool: Pool): fc.Arbitrary<unknown> {
  const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) =>
    fc.record({
      name: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(name) }, hostile),
      arguments: argumentsFor(inputSchema, pool),
    }),
  );
  const message = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        jsonrpc: fc.constant('2.0'),
        id: fc.nat(),
        method: fc.constant('tools/call'),
        params: call,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          jsonrpc: fc.constant('2.0'),
          id: fc.oneof(fc.nat(), fc.string(), hostile),
          method: fc.constantFrom(
            'initialize',
            'ping',
            'tools/list',
            'tools/call',
            'resources/list',
            'prompts/get',
            'logging/setLevel',
            'notifications/initialized',
            'notifications/cancelled',
            'completion/complete',
            'sampling/createMessage',
          ),
          params: hostile,
        },
        { requiredKeys: ['jsonrpc', 'method'] },
      ),
    },
    { weight: 1, arbitrary: hostile },
  );
  const spoiling = fc.record({
    place: fc.nat(50),
    how: fc.constantFrom('replace', 'leave out', 'add'),
    value: hostile,
  });
  return fc.oneof(
    { weight: 6, arbitrary: message },
    { weight: 2, arbitrary: fc.tuple(message, spoiling).map(([value, how]) => spoilt(value, how)) },
    { weight: 1, arbitrary: fc.array(message, { maxLength: 4 }) },
  );
}

export function mcpRequest(tools: readonly Tool[], pool: Pool, token: () => string): fc.Arbitrary<Sent> {
  const accept = fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/json, text/event-stream') },
    fc.constantFrom('application/json', '*/*', 'text/html'),
  );
  const version = fc.constantFrom('2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '1999-01-01', 'x');
  const query = fc.constantFrom(
    '',
    '',
    '?toolsets=testmgmt,extra,cta,auth',
    '?toolsets=',
    '?toolsets=%00',
    '?toolsets=auth&toolsets=cta',
  );
  return fc
    .tuple(json(mcpMessage(tools, pool)), accept, version, query, mediaType)
    .map(([body, accept, version, query, type]) => ({
      method: 'POST',
      path: `/mcp${query}`,
      headers: {
        'content-type': type,
        accept,
        'mcp-protocol-version': version,
        authorization: `Bearer ${token()}`,
      },
      body,
    }));
}
