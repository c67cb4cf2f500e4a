import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endWithThisProcess } from './end-with-this-process.js';

/** A running service as a test of its API needs it. It has no method to stop it, so several specs may share it. */
export interface Application {
  readonly url: string;
  readonly dataDir: string;
  readonly adminToken: string;
  readonly auditorToken: string;
  /** Settings of external stores that a command on the data folder needs, too; empty if all stores are embedded. */
  readonly stores: Readonly<Record<string, string>>;
  /**
   * Set where the projector runs during the whole test: a change that is not yet in force, or a list that a read model does not show yet,
   * only because the machine is busy, is then asked for again, as its message says.
   */
  readonly repeatsChanges?: true;
  /**
   * Set where no spec stops a store: a call that gets 503 is then sent again, because only a busy machine keeps read models behind for longer
   * than a call waits for them, and such a call has charged nothing.
   */
  readonly repeatsUnserved?: true;
  /** Returns all output of the service; for a shared service, only the output since the spec began. */
  output(): string;
}

/** The service as `npm start` runs it, on a data folder of its own that is removed after the test. */
export interface TestService extends Application {
  /** Stops the process as Ctrl-C or an orchestrator does, and returns the exit code. */
  interrupt(signal?: 'SIGINT' | 'SIGTERM'): Promise<number | null>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  /** Freezes the process with SIGSTOP; its connections stay open. */
  pause(): void;
  /** Continues the frozen process with SIGCONT. */
  resume(): void;
  /** Starts the service again on the same data folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Secrets {
  readonly adminToken: string;
  readonly auditorToken: string;
}

const MAIN = resolve('dist/src/main.js');
export const QUIET = {
  DEMO: 'false',
  PORT: '0',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_LIVE_PER_SECOND: '0',
  RATE_LIMIT_SANDBOX_PER_SECOND: '0',
  RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '0',
  MAX_CONNECTIONS_PER_ADDRESS: '0',
};
const STORES = ['EVENT_STORE_URL', 'DATABASE_URL', 'MASTER_KEY', 'ADMIN_TOKEN', 'AUDITOR_TOKEN'] as const;
/** Properties of a service whose calls are sent again until a store and the read models serve them. */
const REPEATED = { repeatsChanges: true, repeatsUnserved: true } as const;
const GUARD = resolve('test/support/guard.mjs');

export function temporaryDataDir(): { dataDir: string; release: () => Promise<void> } {
  const dataDir = mkdtempSync(join(tmpdir(), 'rupa-test-'));
  chmodSync(dataDir, 0o711);
  const guard = spawn(process.execPath, [GUARD, dataDir], { stdio: ['pipe', 'inherit', 'inherit'] });
  const guardExited = once(guard, 'exit');
  return {
    dataDir,
    release: async () => {
      guard.stdin.end();
      await guardExited;
    },
  };
}

/** Copies the cluster and the secrets that the run has prepared, so that a service needs neither initdb nor migrations when it starts. */
export function copyCluster(dataDir: string): void {
  const { TEST_CLUSTER } = process.env;
  if (TEST_CLUSTER === undefined) return;
  for (const name of ['postgres', 'postgres.password', 'secrets.json'])
    cpSync(join(TEST_CLUSTER, name), join(dataDir, name), { recursive: true, preserveTimestamps: true });
}

/**
 * @param env settings; if they name an existing DATA_DIR, that folder is used and not removed
 * @param options `isEmpty`: the service's data folder is empty, as at the first start of `npm start`; `repeats`: no test expects 503 of a
 *   store or a read model, so a call that gets it is sent again
 */
export async function startService(env: Record<string, string> = {}, { isEmpty = false, repeats = false } = {}): Promise<TestService> {
  const { dataDir, release } =
    env.DATA_DIR === undefined ? temporaryDataDir() : { dataDir: env.DATA_DIR, release: () => Promise.resolve() };
  if (!isEmpty && env.DATA_DIR === undefined && env.DATABASE_URL === undefined) copyCluster(dataDir);
  let running: Running | undefined;
  const start = async (): Promise<void> => {
    running = await launch({ DATA_DIR: dataDir, ...QUIET, ...env });
  };
  const current = (): Running => {
    if (!running) throw new Error('The service is not running.');
    return running;
  };
  await start().catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const { ADMIN_TOKEN: adminToken, AUDITOR_TOKEN: auditorToken } = env;
  const secrets =
    adminToken && auditorToken
      ? { adminToken, auditorToken }
      : (JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Secrets);
  return {
    ...(repeats ? REPEATED : {}),
    get url() {
      return current().url;
    },
    dataDir,
    adminToken: secrets.adminToken,
    auditorToken: secrets.auditorToken,
    stores: Object.fromEntries(STORES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    output: () => current().output(),
    interrupt: (signal = 'SIGINT') => end(current().process, signal),
    kill: async () => {
      await end(current().process, 'SIGKILL');
    },
    pause: () => void current().process.kill('SIGSTOP'),
    resume: () => void current().process.kill('SIGCONT'),
    restart: start,
    stop: async () => {
      current().process.kill('SIGCONT');
      await end(current().process, 'SIGINT');
      await release();
    },
  };
}

interface Running {
  readonly process: ChildProcess;
  readonly url: string;
  output(): string;
}

async function launch(env: Record<string, string>): Promise<Running> {
  const service = spawn(process.execPath, [MAIN], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(service);
  let output = '';
  const url = await new Promise<string>((found, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const address = /Rupa is up: +(\S+)\s/.exec(output)?.[1];
      if (address) found(address);
    };
    service.stdout.on('data', read);
    service.stderr.on('data', read);
    service.once('exit', (code) => {
      reject(new Error(`The service ended (${code ?? 'killed'}) before it was up:\n${output}`));
    });
  });
  return { process: service, url, output: () => output };
}

async function end(service: ChildProcess, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (service.exitCode !== null || service.signalCode !== null) return service.exitCode;
  // The last output of a process may still be in the pipe at `exit`. The children of a killed one may hold the pipe open.
  const ended = once(service, signal === 'SIGKILL' ? 'exit' : 'close');
  service.kill(signal);
  const [code] = (await ended) as [number | null];
  return code;
}
