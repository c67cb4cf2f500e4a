// Hosts the applications that end-to-end specs share: GET /<name>?<settings> starts one on the first request and returns its address.
// The applications end with this process, which ends when its standard input is closed.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { URL } from 'node:url';
import pg from 'pg';

const MAIN = resolve('dist/src/main.js');
const { TEST_DATABASE_URL: cluster, TEST_DATABASE_TEMPLATE: template } = process.env;
const POLL_MS = 25;

const applications = new Map();
const guard = spawn(process.execPath, [resolve('test/support/pid-guard.mjs')], { stdio: ['pipe', 'ignore', 'inherit'] });

async function createDatabase() {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: cluster });
  await client.connect();
  await client.query(`create database ${name} template ${template}`);
  await client.end();
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return url.href;
}

async function start(settings) {
  const dataDir = mkdtempSync(join(tmpdir(), 'rupa-shared-'));
  // PostgreSQL runs as a user that must traverse this folder to reach its own.
  chmodSync(dataDir, 0o711);
  // A service with an external database requires explicit secrets, too.
  const stores = {
    DATABASE_URL: await createDatabase(),
    MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
    ADMIN_TOKEN: randomUUID(),
    AUDITOR_TOKEN: randomUUID(),
  };
  const log = join(dataDir, 'output.log');
  const output = openSync(log, 'a');
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...settings, ...stores, DATA_DIR: dataDir },
    stdio: ['ignore', output, output],
  });
  guard.stdin.write(`+${child.pid}\n`);
  child.once('exit', () => guard.stdin.write(`-${child.pid}\n`));
  for (;;) {
    const url = /Rupa is up: +(\S+)\s/.exec(readFileSync(log, 'utf8'))?.[1];
    if (url) {
      return { child, shown: { url, dataDir, adminToken: stores.ADMIN_TOKEN, auditorToken: stores.AUDITOR_TOKEN, stores, log } };
    }
    if (child.exitCode !== null) throw new Error(`The shared application ended (${child.exitCode}):\n${readFileSync(log, 'utf8')}`);
    await delay(POLL_MS);
  }
}

async function stop(application) {
  const { child, shown } = await application;
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  rmSync(shown.dataDir, { recursive: true, force: true });
}

const server = createServer((request, response) => {
  // The worker's next spec could reuse a kept-alive connection just as it is closed here.
  response.setHeader('Connection', 'close');
  const key = request.url ?? '';
  const { searchParams } = new URL(key, 'http://host');
  if (!applications.has(key)) applications.set(key, start(Object.fromEntries(searchParams)));
  applications.get(key).then(
    ({ shown }) => response.end(JSON.stringify(shown)),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
// Ctrl-C reaches the whole process group, but the applications are stopped only after the test process has ended.
process.on('SIGINT', () => undefined);
process.stdin.resume();
await once(process.stdin, 'end');
await Promise.allSettled([...applications.values()].map(stop));
process.exit(0);
