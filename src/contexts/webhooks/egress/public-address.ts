import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All that IANA hands out as IPv6 unicast: everything that embeds or translates IPv4 outside it is refused unseen. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** ipaddr.js reads ::8.8.8.8 as if it were the IPv4-mapped ::ffff:8.8.8.8; nothing else that it reads is another address than the one written. */
const IPV4_COMPATIBLE = /^::\d+\./;

/**
 * Whether the whole internet reaches the address: unicast and of no special purpose (RFC 6890 and its registries).
 * IPv4-mapped IPv6 is judged as the IPv4 that it contains. Only what a resolver answers is an address: 010.1, 0x7f.1 and scoped ids are not.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%') || IPV4_COMPATIBLE.test(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}
