// Creates a PostgreSQL cluster with our tables and a service's secrets, and prints the data folder that holds them. A service that a test starts
// on a copy of it needs neither initdb nor migrations, which take longer than everything else of its start.
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [{ startPostgres }, { readOrCreateSecrets }, { migrate }] = await Promise.all([
  import(resolve('dist/embedded/postgres.js')),
  import(resolve('dist/embedded/generated-secrets.js')),
  import(resolve('dist/src/stores/migrations.js')),
]);
const dataDir = mkdtempSync(join(tmpdir(), 'rupa-cluster-'));
// PostgreSQL's own user must be able to traverse the folder to reach its cluster.
chmodSync(dataDir, 0o711);
const { connectionString, stop } = await startPostgres({ dataDir });
await migrate(connectionString);
// A service refuses a folder with stores and without the secrets of its encrypted data.
await readOrCreateSecrets(join(dataDir, 'secrets.json'));
await stop();
process.stdout.write(`${dataDir}\n`);
