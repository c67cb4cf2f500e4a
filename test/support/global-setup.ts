import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import pg from 'pg';

declare global {
  var testHosts: readonly ChildProcess[] | undefined;
}

/**
 * Prepares what all specs of a run share and passes it to the workers in environment variables:
 * TEST_DATABASE_URL is a PostgreSQL server, unless the variable is already set; TEST_DATABASE_TEMPLATE is a database there with our tables;
 * TEST_APPLICATIONS_URL is the host of shared applications. The processes end with their standard input, and so with this process.
 */
export default async function globalSetup(): Promise<void> {
  await forgetSettings();
  await writeDocument();
  const hosts: ChildProcess[] = [];
  globalThis.testHosts = hosts;
  if (!process.env.TEST_DATABASE_URL) {
    const line = await startHost('dist/embedded/postgres-host.js', hosts);
    process.env.TEST_DATABASE_URL = (JSON.parse(line) as { connectionString: string }).connectionString;
  }
  process.env.TEST_DATABASE_TEMPLATE = await createTemplate(process.env.TEST_DATABASE_URL);
  process.env.TEST_APPLICATIONS_URL = await startHost('test/support/application-host.mjs', hosts);
}

/** Starts a host process and returns the first line that it prints. */
async function startHost(program: string, hosts: ChildProcess[]): Promise<string> {
  const host = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  hosts.push(host);
  const ended = once(host, 'exit').then(([code]) =>
    Promise.reject(new Error(`${program} did not start (exit code ${String(code)}). Build first: npm run build.`)),
  );
  ended.catch(() => undefined);
  const [line] = (await Promise.race([once(createInterface(host.stdout), 'line'), ended])) as [string];
  return line;
}

/** Creates a migrated database. Copying it takes PostgreSQL some milliseconds; migrating one for each test would take a second. */
async function createTemplate(cluster: string): Promise<string> {
  const { migrate } = (await import(resolve('dist/src/app/migrations.js'))) as {
    migrate(this: void, url: string): Promise<void>;
  };
  const name = `template_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: cluster });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  await migrate(url.href);
  return name;
}

/** Writes the OpenAPI document of the build under test for document.ts: generating it in each test file would take seconds. */
async function writeDocument(): Promise<void> {
  const { previewDocument } = (await import(resolve('dist/src/app/openapi/preview.js'))) as {
    previewDocument: (publicUrl: string) => Promise<object>;
  };
  const draft = resolve(`dist/openapi.json.${process.pid}`);
  writeFileSync(draft, JSON.stringify(await previewDocument('http://127.0.0.1')));
  renameSync(draft, resolve('dist/openapi.json'));
}

/** Removes the caller's own settings, which would make the tests use other stores. */
async function forgetSettings(): Promise<void> {
  const { DOCUMENTED } = (await import(resolve('dist/src/app/settings/settings-page.js'))) as {
    DOCUMENTED: readonly { readonly name: string }[];
  };
  for (const { name } of DOCUMENTED) if (name !== 'NODE_ENV') Reflect.deleteProperty(process.env, name);
}
