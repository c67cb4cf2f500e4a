const PROTOCOLS = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'];

/** Prefixes that a connection string of the event store may have. */
export const EVENT_STORE_URL_PREFIXES: readonly string[] = PROTOCOLS.map((protocol) => `${protocol}//`);

/** Returns the connection string. @throws Error that does not quote it, because it may hold a password */
export function eventStoreUrl(text: string): string {
  if (!PROTOCOLS.some((protocol) => text.startsWith(protocol)))
    throw new Error(`it must begin with ${EVENT_STORE_URL_PREFIXES.join(' or ')}`);
  return text;
}
