import { describe, expect, test } from 'bun:test';
import { clientAddress, networkOf } from './client-address.ts';

describe('the address of the client', () => {
  const peer = '10.0.0.2';
  const cases: ReadonlyArray<readonly [string, string | null, number, string]> = [
    ['no proxy: the header is not believed', '203.0.113.7', 0, peer],
    ['no header', null, 1, peer],
    ['one proxy', '203.0.113.7', 1, '203.0.113.7'],
    ['one proxy, and a client that makes something up', '1.1.1.1, 203.0.113.7', 1, '203.0.113.7'],
    ['two proxies', '1.1.1.1, 203.0.113.7, 10.0.0.9', 2, '203.0.113.7'],
    ['two proxies of which one does not say', '203.0.113.7', 2, '203.0.113.7'],
    ['a port', '203.0.113.7:4711', 1, '203.0.113.7'],
    ['IPv6 with a port', '[2001:db8::7]:4711', 1, '2001:db8::7'],
    ['IPv6', '2001:db8::7', 1, '2001:db8::7'],
    ['IPv4 in IPv6', '::ffff:203.0.113.7', 1, '203.0.113.7'],
    ['no address at all', 'unknown', 1, peer],
    ['empty', '', 1, peer],
    ['a line of a log', '203.0.113.7\t{"level":"error"}', 1, peer],
  ];
  test.each(cases)('%s', (_title, header, trusted, expected) => {
    expect(clientAddress(peer, header, trusted)).toBe(expected);
  });
  test('of a socket that listens on both families', () => {
    expect(clientAddress('::ffff:127.0.0.1', null, 0)).toBe('127.0.0.1');
  });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
