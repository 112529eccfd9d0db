import { describe, expect, test } from 'bun:test';
import { isKeysUrl, isSecureUrl } from './jwks.ts';

describe('the addresses of a provider that may be fetched', () => {
  const cases: ReadonlyArray<readonly [string, boolean]> = [
    ['https://issuer.example', true],
    ['https://issuer.example:8443/tenant', true],
    ['http://127.0.0.1:9000', true],
    ['http://localhost:9000', true],
    ['http://[::1]:9000', true],
    ['http://issuer.example', false],
    ['http://10.0.0.1', false],
    ['http://169.254.169.254/latest/meta-data', false],
    ['http://127.0.0.1.example', false],
    ['http://localhost.example', false],
    ['http://127.0.0.1@issuer.example', false],
    ['http://0.0.0.0:9000', false],
    ['https://user:password@issuer.example', false],
    ['https://user@issuer.example', false],
    ['https://:password@issuer.example', false],
    ['http://user@127.0.0.1:9000', false],
    ['file:///etc/passwd', false],
    ['ftp://issuer.example/keys', false],
    ['data:application/json,{"keys":[]}', false],
    ['blob:https://issuer.example/1', false],
    ['unix:///var/run/docker.sock', false],
    ['s3://bucket/keys', false],
    ['//issuer.example', false],
    ['', false],
  ];
  test.each(cases)('%s: %p', (url, secure) => expect(isSecureUrl(url)).toBe(secure));
});

describe('a provider out there cannot send us to this machine for its keys', () => {
  const cases: ReadonlyArray<readonly [string, string, boolean]> = [
    ['https://issuer.example', 'https://keys.example/jwks', true],
    ['https://issuer.example', 'http://127.0.0.1:8787/admin', false],
    ['https://issuer.example', 'http://localhost:2375/', false],
    ['https://issuer.example', 'http://[::1]:9200/', false],
    ['https://issuer.example', 'https://127.0.0.1/', false],
    ['https://issuer.example', 'https://localhost/', false],
    ['https://issuer.example', 'https://user:password@keys.example/jwks', false],
    ['https://issuer.example', 'file:///etc/passwd', false],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:9000/jwks', true],
    ['http://127.0.0.1:9000', 'https://keys.example/jwks', true],
    ['http://127.0.0.1:9000', 'http://keys.example/jwks', false],
    ['https://localhost:9000', 'https://localhost:9000/jwks', true],
  ];
  test.each(cases)('%s naming %s: %p', (issuer, url, allowed) =>
    expect(isKeysUrl(url, issuer)).toBe(allowed),
  );
});
