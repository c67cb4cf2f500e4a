import { type FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

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

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Length of the prefix of IPv4-mapped IPv6 addresses, ::ffff:0:0/96. */
const MAPPED_PREFIX_BITS = 96;

/** The length of a prefix without a leading zero, which some programs read as an octal number. */
const PREFIX_BITS = /^(?:0|[1-9]\d{0,2})$/;

/** An address with its port, as some proxies write it in X-Forwarded-For: 203.0.113.7:49152, [2001:db8::1]:49152 or [2001:db8::1]. */
const WITH_PORT = /^(?:([\d.]+):\d{1,5}|\[([^\]]+)\](?::\d{1,5})?)$/;

/** Returns the address of a request's caller in canonical notation. */
export function callerAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  return canonicalAddress(ip);
}

/** Returns an address in canonical notation, without port and IPv4-mapped IPv6 as IPv4, and any other text as it is. */
export const canonicalAddress = remembering((text: string): string => {
  const [, ipv4, ipv6] = WITH_PORT.exec(text) ?? [];
  const address = ipv4 ?? ipv6 ?? text;
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : text;
});

/** Checks an address against an allow-list. An empty list allows every address; IPv4-mapped IPv6 counts as IPv4 (decisions, "Checks"). */
export function isAllowed(address: string, cidrs: readonly string[]): boolean {
  if (cidrs.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return cidrs.some((cidr) => {
    const network = parseNetwork(cidr);
    if (network === undefined) return false;
    return network[0].kind() === caller.kind() && caller.match(network[0], network[1]);
  });
}

/** Returns whether the text is an address or a CIDR in its usual notation. */
export function isNetwork(text: string): boolean {
  return canonicalNetwork(text) !== undefined;
}

/**
 * Returns an address or a CIDR in canonical notation, an IPv4-mapped one as IPv4. Returns undefined for any other text, and for IPv4 in the
 * notations that programs read differently, such as 10.1, 010.0.0.1, 10.0.0.0/08, 0x7f.0.0.1 and 2130706433.
 */
export function canonicalNetwork(text: string): string | undefined {
  const [address = '', ...rest] = text.split('/');
  if (!isCanonicalAddress(address) || rest.length > 1 || !rest.every((bits) => PREFIX_BITS.test(bits))) return undefined;
  const network = parseNetwork(text);
  if (network === undefined) return undefined;
  const [base, bits] = network;
  return rest.length === 0 ? base.toString() : `${base.toString()}/${bits}`;
}

function isCanonicalAddress(text: string): boolean {
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text);
  const [, embedded] = /:([^:]*\.[^:]*)$/.exec(text) ?? [];
  return ipaddr.IPv6.isValid(text) && !text.includes('%') && (embedded === undefined || ipaddr.IPv4.isValidFourPartDecimal(embedded));
}

/** Also reads the notations that lists of earlier releases may contain. */
function parseNetwork(text: string): Network | undefined {
  if (ipaddr.isValid(text)) {
    const address = ipaddr.process(text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  if (!ipaddr.isValidCIDR(text)) return undefined;
  const [base, bits] = ipaddr.parseCIDR(text);
  if (!(base instanceof ipaddr.IPv6) || !base.isIPv4MappedAddress()) return [base, bits];
  // A shorter prefix would contain addresses that are not mapped; as no caller has one of those, the range could not match as it is meant.
  return bits < MAPPED_PREFIX_BITS ? undefined : [base.toIPv4Address(), bits - MAPPED_PREFIX_BITS];
}
