import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 3_000;

/**
 * A name's addresses, asked of the name servers themselves: the system's resolver has four threads, which files and keys share, and a
 * customer whose name server never answers could hold them all.
 * @throws Error where there are none
 */
export async function resolveName(hostname: string): Promise<{ address: string }[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0) throw new Error('The name has no address.');
  return found.map((address) => ({ address }));
}
