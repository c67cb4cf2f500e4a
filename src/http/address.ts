import ipaddr from 'ipaddr.js';

/** Checks an address against an allow-list. An empty list allows every address; IPv4-mapped IPv6 counts as IPv4 (decisions, "Checks"). */
export function isAllowed(address: string, cidrs: readonly string[]): boolean {
  if (cidrs.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return cidrs.some((cidr) => {
    const [network, bits] = parseNetwork(cidr);
    return network.kind() === caller.kind() && caller.match(network, bits);
  });
}

/** Returns whether the text is an address or a CIDR. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
