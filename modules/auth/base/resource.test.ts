import { describe, expect, test } from 'bun:test';
import { audienceOf, reachedOrigin } from './resource.ts';

const web = 'https://trivet.example';
const local = 'http://127.0.0.1:8787';

describe('the audience that a resource names', () => {
  const cases: ReadonlyArray<readonly [issuer: string, resource: string, audience: string | null]> = [
    [web, web, web],
    [web, `${web}/`, web],
    [web, `${web}/mcp`, `${web}/mcp`],
    [web, `${web}/mcp/`, `${web}/mcp`],
    [web, `${web}/mcp?toolsets=cta`, `${web}/mcp`],
    [web, 'https://TRIVET.example/mcp', `${web}/mcp`],
    [web, `${web}/api`, null],
    [web, `${web}/mcp/other`, null],
    [web, `${web}/mcp#x`, null],
    [web, 'https://user@trivet.example/mcp', null],
    [web, 'http://trivet.example/mcp', null],
    [web, 'https://trivet.example:8443/mcp', null],
    [web, 'https://trivet.example.evil.example/mcp', null],
    [web, 'http://127.0.0.1:8787/mcp', null],
    [web, 'mcp', null],
    [web, '', null],
    [local, 'http://localhost:8787/mcp', `${local}/mcp`],
    [local, 'http://[::1]:8787/mcp', `${local}/mcp`],
    [local, 'http://localhost:8788/mcp', null],
    [local, 'https://localhost:8787/mcp', null],
  ];
  test.each(cases)('%s, %s', (issuer, resource, audience) =>
    expect(audienceOf(issuer, resource)).toBe(audience),
  );
});

describe('the origin under which a server describes itself', () => {
  const cases: ReadonlyArray<readonly [issuer: string, host: string | null, origin: string]> = [
    [local, '127.0.0.1:8787', local],
    [local, 'localhost:8787', 'http://localhost:8787'],
    [local, '[::1]:8787', 'http://[::1]:8787'],
    [local, 'localhost:8788', local],
    [local, 'localhost', local],
    [local, 'evil.example:8787', local],
    [local, 'localhost:8787@evil.example', local],
    [local, 'localhost:8787/evil', local],
    [local, null, local],
    [web, 'localhost:8787', web],
    [web, 'evil.example', web],
    [web, 'trivet.example', web],
  ];
  test.each(cases)('issuer %s, Host %s', (issuer, host, origin) =>
    expect(reachedOrigin(issuer, host)).toBe(origin),
  );
});
