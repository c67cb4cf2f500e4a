import { once } from 'node:events';

/** Ends what the setup began. */
export default async function globalTeardown(): Promise<void> {
  const host = globalThis.postgresHost;
  if (host?.exitCode !== null) return;
  const ended = once(host, 'exit');
  host.stdin?.end();
  await ended;
}
