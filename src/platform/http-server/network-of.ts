import { LRUCache } from 'lru-cache';
import ipaddr from 'ipaddr.js';

const MAX_ADDRESSES = 10_000;
/** No address is longer. Other texts, which a trusted proxy may pass on from a caller, are not kept. */
const MAX_LENGTH = 64;

/** Returns the function with a memory of its last results, because every request parses its address three times, which takes 2 µs each. */
export function remembering(parse: (address: string) => string): (address: string) => string {
  const known = new LRUCache<string, string>({ max: MAX_ADDRESSES, memoMethod: parse });
  return (address) => (address.length > MAX_LENGTH ? parse(address) : known.memo(address));
}

/** A client with an IPv6 address usually has its whole /64 network. */
const IPV6_PARTS = 4;

/** Returns what limits of an address count: of IPv6 the /64 network, IPv4-mapped IPv6 as IPv4, and any other text as it is. */
export const networkOf = remembering((address: string): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv6'
    ? (parsed as ipaddr.IPv6).parts
        .slice(0, IPV6_PARTS)
        .map((part) => part.toString(16))
        .join(':')
    : parsed.toString();
});
