import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';

/** Ends the processes that the setup started: the applications before the database that they use. */
export default async function globalTeardown(): Promise<void> {
  const { testHosts: hosts, testGuard: guard } = globalThis;
  [globalThis.testHosts, globalThis.testGuard] = [undefined, undefined];
  if (hosts) await endHosts(hosts);
  await end(guard);
}

async function endHosts(hosts: readonly ChildProcess[]): Promise<void> {
  const { TEST_DATABASE_URL, TEST_DATABASE_TEMPLATE } = process.env;
  const [applications, postgres] = hosts.toReversed();
  await end(applications);
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL });
  await client.connect();
  await client.query(`drop database if exists ${TEST_DATABASE_TEMPLATE ?? ''}`);
  await client.end();
  await end(postgres);
}

async function end(host: ChildProcess | undefined): Promise<void> {
  if (host?.exitCode !== null) return;
  // The guard does not keep Jest alive; without this, Jest would end here, before it has written its result.
  host.ref();
  const ended = once(host, 'exit');
  host.stdin?.end();
  await ended;
}
