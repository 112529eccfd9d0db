import { nodeNet } from '../../base/late-node.ts';

/**
 * The client address behind `trusted` proxies. Each proxy appends its caller to X-Forwarded-For, so only the last `trusted` entries come
 * from our proxies; the client may have forged earlier ones.
 * @param trusted how many proxies are in front of this server; with 0 the header is ignored.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trusted: number): string {
  if (trusted === 0 || forwardedFor === null) return plain(peer);
  const hops = forwardedFor.split(',').map((entry) => addressOf(entry.trim()));
  // If there are fewer entries than proxies, one proxy appends nothing: the farthest known hop is the best guess.
  return hops.at(-trusted) ?? hops[0] ?? plain(peer);
}

/** `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`; undefined for anything else. */
function addressOf(entry: string): string | undefined {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  return nodeNet().isIP(bare) === 0 ? undefined : plain(bare);
}

/** On a dual-stack socket an IPv4 client is `::ffff:203.0.113.7`. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/**
 * The network that a rate limit counts: an IPv4 address, or the /64 of an IPv6 address, since every household or server has at least that
 * many addresses (RFC 6177).
 */
export function networkOf(address: string): string {
  if (nodeNet().isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
