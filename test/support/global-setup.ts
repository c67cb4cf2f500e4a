import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

declare global {
  var testHosts: readonly ChildProcess[] | undefined;
  var testGuard: ChildProcess | undefined;
}

/**
 * Prepares what all specs of a run share and passes it to the workers in environment variables:
 * TEST_DATABASE_URL is a PostgreSQL server, unless the variable is already set; TEST_DATABASE_TEMPLATE is a database there with our tables;
 * TEST_CLUSTER is a data folder with a PostgreSQL cluster that has our tables, for services that start one of their own;
 * TEST_APPLICATIONS_URL is the host of shared applications. The processes end with their standard input, and so with this process.
 * TMPDIR is a folder in which all temporary folders of the run are created.
 */
export default async function globalSetup(): Promise<void> {
  globalThis.testGuard = guardRun();
  await forgetSettings();
  const hosts: ChildProcess[] = [];
  globalThis.testHosts = hosts;
  await Promise.all([run('test/support/write-document.mjs'), startStores(hosts), createCluster()]);
}

/** Creates the run's temporary folder, and starts the process that removes it and ends what is left of the run when this process ends. */
function guardRun(): ChildProcess {
  const npm = npmOfThisProcess();
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rupa-run-'));
  // PostgreSQL's own user must be able to traverse the folder to reach its cluster.
  chmodSync(folder, 0o711);
  const program = resolve('test/support/run-guard.mjs');
  // In a process group of its own, Ctrl-C does not reach it.
  const guard = spawn(process.execPath, [program, folder, String(process.pid), ...npm.map(String)], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  process.env.TMPDIR = folder;
  return guard;
}

/**
 * Returns the id of npm's process, if npm started this process, directly or in a shell.
 * @throws Error if that npm has ended
 */
function npmOfThisProcess(): number[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  if (isNpm(process.ppid)) return [process.ppid];
  const isShellOfScript = /^sh\0-c\0.*jest/s.test(commandOf(process.ppid));
  if (!isShellOfScript || process.env.npm_lifecycle_event === undefined) return [];
  const npm = parentOf(process.ppid);
  if (!isNpm(npm)) throw new Error('The npm that started the tests has ended, so nobody waits for them.');
  return [npm];
}

/** npm gives its process this name. */
const isNpm = (pid: number): boolean => commandOf(pid).startsWith('npm ');

/** The parent of a container's first process, and of a command that is run in the container, has the id 0 and no entry in /proc. */
const commandOf = (pid: number): string => (pid === 0 ? '' : readFileSync(`/proc/${pid}/cmdline`, 'utf8'));

function parentOf(pid: number): number {
  // The name in parentheses may contain spaces; the state and the parent's id follow it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
  return Number(stat.split(' ')[1]);
}

async function createCluster(): Promise<void> {
  process.env.TEST_CLUSTER = await run('test/support/create-cluster.mjs');
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
  const { DOCUMENTED } = (await import(resolve('dist/src/settings/settings-page.js'))) as {
    DOCUMENTED: readonly { readonly name: string }[];
  };
  for (const { name } of DOCUMENTED) if (name !== 'NODE_ENV') Reflect.deleteProperty(process.env, name);
}
