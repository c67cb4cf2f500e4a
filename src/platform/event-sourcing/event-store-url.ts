import { isPercentEncodedUtf8 } from '../utf8.js';

const PROTOCOLS = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'];
const MAX_PORT = 65_535;
/** Scheme, user and password, hosts, path, options. The client accepts no IPv6 address and no `/` in a password. */
const FORM = /^[a-z+]+:\/\/(?:([^@/?:]+:[^@/?]+)@)?([^@/?]+)\/?(\?.*)?$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3})(?::\d+)?$/i;
const HOST = /^([^\s:,[\]]+)(?::(\d{1,5}))?$/;

/** Prefixes that a connection string of the event store may have. */
export const EVENT_STORE_URL_PREFIXES: readonly string[] = PROTOCOLS.map((protocol) => `${protocol}//`);

/** Returns the connection string. @throws Error that does not quote it, because it may hold a password */
export function eventStoreUrl(text: string): string {
  if (!PROTOCOLS.some((protocol) => text.startsWith(`${protocol}//`)))
    throw new Error(`it must begin with ${EVENT_STORE_URL_PREFIXES.join(' or ')}`);
  const [, credentials = '', hosts, options = ''] = FORM.exec(text) ?? [];
  if (hosts === undefined || !isPercentEncodedUtf8(credentials))
    throw new Error('it must be written esdb://user:password@host:port?tls=true, with /, ?, : and @ in a user or password encoded as %XX');
  for (const host of hosts.split(',')) {
    const [, name, port = '1'] = HOST.exec(host) ?? [];
    if (name === undefined || Number(port) < 1 || Number(port) > MAX_PORT)
      throw new Error(
        'each host must be a name or an IPv4 address with a port from 1 to 65535, written host:port, several separated by commas',
      );
  }
  if (/[?&]tls=(?!(?:true|false)(?:&|$))/i.test(options)) throw new Error('its option tls must be true or false');
  return text;
}

/** Returns whether host:port, or a host, is on this machine. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.test(address);
}
