import { nodeNet } from '../../../core/base/late-node.ts';

/** IPv4 networks that are not on the Internet (IANA IPv4 Special-Purpose Address Registry), multicast and reserved ones. */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/** Networks in 2000::/3, the global IPv6 addresses, that are for documentation or embed an IPv4 address (Teredo, 6to4). */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Whether an address is public: not private, loopback or link-local, and not embedding another address. */
export function isPublicAddress(address: string): boolean {
  const family = nodeNet().isIP(address);
  if (family === 4) return !listOf(special4).check(address, 'ipv4');
  return (
    family === 6 && listOf(['2000::/3']).check(address, 'ipv6') && !listOf(special6).check(address, 'ipv6')
  );
}

function listOf(networks: readonly string[]) {
  const { BlockList } = nodeNet();
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
