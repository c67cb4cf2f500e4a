import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';

declare global {
  var postgresHost: ChildProcess | undefined;
}

/**
 * One PostgreSQL for the whole run, whichever projects take part; TEST_DATABASE_URL names it to the workers, or one that is there.
 * It ends with its standard input, and so with this process.
 */
export default async function globalSetup(): Promise<void> {
  await forgetSettings();
  await writeDocument();
  if (process.env.TEST_DATABASE_URL) return;
  const host = spawn(process.execPath, ['dist/embedded/postgres-host.js'], { stdio: ['pipe', 'pipe', 'inherit'] });
  globalThis.postgresHost = host;
  const ended = once(host, 'exit').then(([code]) =>
    Promise.reject(new Error(`The tests' PostgreSQL did not start (exit code ${String(code)}). Build first: npm run build.`)),
  );
  ended.catch(() => undefined);
  const [line] = (await Promise.race([once(createInterface(host.stdout), 'line'), ended])) as [string];
  process.env.TEST_DATABASE_URL = (JSON.parse(line) as { connectionString: string }).connectionString;
}

/** The OpenAPI document of the build that the run tests (document.ts reads it): each test file would take seconds to make it again. */
async function writeDocument(): Promise<void> {
  const { previewDocument } = (await import(resolve('dist/src/app/openapi/preview.js'))) as {
    previewDocument: (publicUrl: string) => Promise<object>;
  };
  const draft = resolve(`dist/openapi.json.${process.pid}`);
  writeFileSync(draft, JSON.stringify(await previewDocument('http://127.0.0.1')));
  renameSync(draft, resolve('dist/openapi.json'));
}

/** Those of whoever runs the tests would lead them to stores that are somebody's. */
async function forgetSettings(): Promise<void> {
  const { DOCUMENTED } = (await import(resolve('dist/src/app/settings/page.js'))) as { DOCUMENTED: readonly { readonly name: string }[] };
  for (const { name } of DOCUMENTED) if (name !== 'NODE_ENV') Reflect.deleteProperty(process.env, name);
}
