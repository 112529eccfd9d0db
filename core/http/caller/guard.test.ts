import { expect, test } from 'bun:test';
import { hostAndOriginGuard } from './guard.ts';

const guard = hostAndOriginGuard({
  hostname: '127.0.0.1',
  publicUrl: 'https://trivet.example:8443',
  allowedHosts: [],
  corsOrigins: (take) => take([]),
});

const cases: ReadonlyArray<readonly [string, string, string, boolean]> = [
  ['the page of the address of clients', 'trivet.example:8443', 'https://trivet.example:8443', true],
  [
    '… behind a proxy that passes the name without the port',
    'trivet.example',
    'https://trivet.example:8443',
    true,
  ],
  ['… behind a proxy that passes its own target', '127.0.0.1:8787', 'https://trivet.example:8443', true],
  ['a page of this machine', '127.0.0.1:8787', 'http://127.0.0.1:8787', true],
  ['the same name at another port', '127.0.0.1:8787', 'https://trivet.example', false],
  ['the same name without TLS', '127.0.0.1:8787', 'http://trivet.example:8443', false],
  ['another site', 'trivet.example', 'https://evil.example', false],
];
test.each(cases)('tools and %s', (_title, host, origin, accepted) => {
  const ask = () =>
    guard.tools(new Request('http://127.0.0.1:8787/api/tools', { headers: { host, origin } }));
  if (accepted) expect(ask).not.toThrow();
  else expect(ask).toThrow();
});
