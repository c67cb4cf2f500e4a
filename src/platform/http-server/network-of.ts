import ipaddr from 'ipaddr.js';
import { remembering } from './remembering.js';

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
