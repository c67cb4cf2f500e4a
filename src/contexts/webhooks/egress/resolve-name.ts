import { Resolver } from 'node:dns/promises';

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
