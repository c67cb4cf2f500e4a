const PROTOCOLS = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'];

/** How a connection string of the event store begins. */
export const EVENT_STORE_URL_BEGINNINGS: readonly string[] = PROTOCOLS.map((protocol) => `${protocol}//`);

/** @throws Error that says what is wrong. It does not repeat the text, which may hold a password. */
export function eventStoreUrl(text: string): string {
  if (!PROTOCOLS.some((protocol) => text.startsWith(protocol)))
    throw new Error(`it must begin with ${EVENT_STORE_URL_BEGINNINGS.join(' or ')}`);
  return text;
}
