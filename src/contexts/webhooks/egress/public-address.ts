import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Resolver } from 'node:dns/promises';

/** The range from which IANA allocates IPv6 unicast addresses. Everything outside is refused, including prefixes that embed or translate IPv4. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure's platform address, which serves virtual machines their credentials. It is a public unicast address; those of other clouds are not. */
const PLATFORM_ADDRESS = '168.63.129.16';

/** Matches ::8.8.8.8, which ipaddr.js parses as ::ffff:8.8.8.8. It parses every other notation as the address that is written. */
const IPV4_COMPATIBLE = /^::\d+\./;

/**
 * Returns whether the address is reachable from the public internet: a unicast address without a special purpose (RFC 6890 and its
 * registries). An IPv4-mapped IPv6 address counts as its IPv4 address. Notations that no resolver returns, such as 010.1, 0x7f.1 and scoped
 * ids, are refused.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%') || IPV4_COMPATIBLE.test(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || address.toString() === PLATFORM_ADDRESS) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

const TIMEOUT_MS = 3_000;

/**
 * Queries the name servers directly for a name's addresses. The system's resolver would use libuv's four threads, which file access and
 * cryptography share, and a partner whose name server never responds could block all of them.
 * @throws Error if the name has no address
 */
export async function resolveName(hostname: string): Promise<{ address: string }[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (found.length === 0) throw new Error('The name has no address.');
  return found.map((address) => ({ address }));
}
