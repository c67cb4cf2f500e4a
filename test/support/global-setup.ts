import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

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
  const hosts: ChildProcess[] = [];
  globalThis.testHosts = hosts;
  await Promise.all([run('test/support/write-document.mjs'), startStores(hosts)]);
}

async function startStores(hosts: ChildProcess[]): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    const line = await startHost('dist/embedded/postgres-host.js', hosts);
    process.env.TEST_DATABASE_URL = (JSON.parse(line) as { connectionString: string }).connectionString;
  }
  process.env.TEST_DATABASE_TEMPLATE = await run('test/support/create-template.mjs');
  process.env.TEST_APPLICATIONS_URL = await startHost('test/support/application-host.mjs', hosts);
}

/**
 * Runs a program and returns what it prints. Jest compiles what this file imports itself, which takes seconds for the modules of the build.
 * @throws Error if the program fails
 */
async function run(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: { ...process.env, NODE_COMPILE_CACHE: resolve('dist/.cache') },
  });
  return stdout.trim();
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

/** Removes the caller's own settings, which would make the tests use other stores. */
async function forgetSettings(): Promise<void> {
  const { DOCUMENTED } = (await import(resolve('dist/src/app/settings/settings-page.js'))) as {
    DOCUMENTED: readonly { readonly name: string }[];
  };
  for (const { name } of DOCUMENTED) if (name !== 'NODE_ENV') Reflect.deleteProperty(process.env, name);
}
