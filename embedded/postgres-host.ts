import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from './postgres.js';

// Runs PostgreSQL in a process of its own, for tests. When the process that started it ends, it stops and removes its temporary folder.
/** Several services share this server. */
const MAX_CONNECTIONS = 300;
const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT'), once(process.stdin, 'end'), once(process.stdin, 'close')]);
process.stdin.resume();
const dataDir = values['data-dir'] ?? (await temporaryFolder());
try {
  const server = await startPostgres({ dataDir, maxConnections: MAX_CONNECTIONS });
  process.stdout.write(`${JSON.stringify({ connectionString: server.connectionString })}\n`);
  await Promise.race([stopped, server.exited]);
  await server.stop();
} finally {
  if (values['data-dir'] === undefined) await rm(dataDir, { recursive: true, force: true });
}
process.exit(0);

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rupa-postgres-'));
  // PostgreSQL's own user must be able to traverse the folder to reach its cluster.
  await chmod(folder, 0o711);
  return folder;
}
