import { describe, expect, test } from 'bun:test';
import { isRedirectUri, isRegistered, placeOf } from './redirect-uri.ts';

describe('which addresses a client may register', () => {
  const cases: ReadonlyArray<readonly [string, boolean]> = [
    ['https://client.example/callback', true],
    ['https://client.example', true],
    ['https://client.example:8443/callback?a=b', true],
    ['http://127.0.0.1/callback', true],
    ['http://127.0.0.1:3334/oauth/callback', true],
    ['http://localhost:3334/oauth/callback', true],
    ['http://[::1]:3334/callback', true],
    ['com.example.app:/callback', true],
    ['cursor://anysphere.cursor-mcp/oauth/callback', true],
    ['http://evil.example/callback', false],
    ['http://127.0.0.1.evil.example/', false],
    ['http://localhost.evil.example/', false],
    ['http://10.0.0.7/', false],
    ['javascript:alert(1)', false],
    ['javascript://client.example/%0aalert(1)', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['vbscript:x', false],
    ['blob:https://client.example/1', false],
    ['about:blank', false],
    ['ftp://client.example/', false],
    ['https://client.example/#fragment', false],
    ['https://client.example/#', false],
    ['https://user@client.example/', false],
    ['https://user:password@client.example/', false],
    ['https://@client.example/', false],
    ['https://client.example\\@evil.example/', false],
    ['https://client.example/a/../b', false],
    ['https://client.example/a/./b', false],
    ['https://client.example/..', false],
    ['https://client.example/%2e%2e/b', false],
    ['https://client.example/a%2Fb', false],
    ['https://client.example/ b', false],
    ['https://client.example/\tb', false],
    ['https://client.example/é', false],
    ['https://', false],
    ['https:client.example/callback', false],
    ['https:/client.example/callback', false],
    ['https:///client.example/callback', false],
    ['http:localhost/callback', false],
    ['HTTP:/localhost/callback', false],
    ['//client.example/', false],
    ['/callback', false],
    ['', false],
    [`https://client.example/${'x'.repeat(500)}`, false],
  ];
  test.each(cases)('%s', (uri, allowed) => expect(isRedirectUri(uri)).toBe(allowed));
});

describe('to which addresses a request may lead', () => {
  const web = 'https://client.example/callback';
  const local = 'http://127.0.0.1:3334/callback';
  const cases: ReadonlyArray<readonly [registered: string, asked: string, allowed: boolean]> = [
    [web, web, true],
    [web, 'https://client.example/callback/', false],
    [web, 'https://client.example/Callback', false],
    [web, 'https://client.example/callback?x=1', false],
    [web, 'https://client.example/callback#', false],
    [web, 'https://client.example/callback/../callback', false],
    [web, 'https://client.example//callback', false],
    [web, 'https://client.example/', false],
    [web, 'https://client.example:443/callback', false],
    [web, 'https://client.example:8443/callback', false],
    [web, 'https://CLIENT.example/callback', false],
    [web, 'https://client.example.evil.example/callback', false],
    [web, 'https://evil.example/callback', false],
    [web, 'https://client.example@evil.example/callback', false],
    [web, 'https://client.example\\@evil.example/callback', false],
    [web, 'https://evil.example\\client.example/callback', false],
    [web, 'http://client.example/callback', false],
    [web, 'javascript:alert(1)', false],
    [local, local, true],
    [local, 'http://127.0.0.1:50123/callback', true],
    [local, 'http://127.0.0.1/callback', true],
    [local, 'http://127.0.0.1:50123/other', false],
    [local, 'http://127.0.0.1:50123/callback?x=1', false],
    [local, 'http://localhost:50123/callback', false],
    [local, 'https://127.0.0.1:50123/callback', false],
    [local, 'http://127.0.0.1:50123@evil.example/callback', false],
    [local, 'http://127.0.0.1:99999/callback', false],
    [local, 'http://127.0.0.1:/callback', false],
    ['http://localhost:1/cb', 'http://localhost:2/cb', true],
    ['http://[::1]:1/cb', 'http://[::1]:2/cb', true],
  ];
  test.each(cases)('registered %s, asked %s', (registered, asked, allowed) =>
    expect(isRegistered(asked, [registered])).toBe(allowed),
  );
});

describe('what a person reads', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['https://client.example:8443/callback', 'client.example:8443'],
    ['http://127.0.0.1:3334/callback', 'this computer'],
    ['http://localhost/callback', 'this computer'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'the app that opens cursor:'],
  ];
  test.each(cases)('%s', (uri, place) => expect(placeOf(uri)).toBe(place));
});
