import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './starting.js';

const MAIN = resolve('dist/embedded/event-store/main.js');

/** The embedded event store in a process of its own, which a test may pause, resume, kill and restart. */
export interface EventStoreProcess {
  readonly connectionString: string;
  readonly port: number;
  readonly dataDir: string;
  /** The id of the current process. */
  readonly pid: number;
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  /** Starts the store again on the same folder and port. */
  restart(): Promise<void>;
  /** Kills the store, copies its files, and starts it again. */
  copyTo(folder: string): Promise<void>;
  close(): Promise<void>;
}

/** @param nodeArgs arguments for Node, such as a memory limit. @param filesOf a folder with a copy of a store's files to start from. */
export async function startEventStoreProcess(nodeArgs: readonly string[] = [], filesOf?: string): Promise<EventStoreProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'rupa-events-'));
  if (filesOf !== undefined) cpSync(filesOf, dataDir, { recursive: true });
  let { process: server, port, connectionString } = await launch(dataDir, await freePort(), nodeArgs);
  const ended = async (signal?: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    if (signal) server.kill(signal);
    else server.stdin?.end();
    await exited;
  };
  const restart = async (): Promise<void> => {
    ({ process: server, port, connectionString } = await launch(dataDir, port, nodeArgs));
  };
  return {
    connectionString,
    port,
    dataDir,
    get pid() {
      return server.pid ?? 0;
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    kill: () => ended('SIGKILL'),
    restart,
    copyTo: async (folder) => {
      await ended('SIGKILL');
      cpSync(dataDir, folder, { recursive: true });
      await restart();
    },
    close: async () => {
      server.kill('SIGCONT');
      await ended();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function launch(
  dataDir: string,
  port: number,
  nodeArgs: readonly string[],
): Promise<{ process: ChildProcess; port: number; connectionString: string }> {
  const server = spawn(process.execPath, [...nodeArgs, MAIN, '--data-dir', dataDir, '--port', String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await Promise.race([
    once(createInterface(server.stdout), 'line'),
    once(server, 'exit').then(() => Promise.reject(new Error('The event store did not start. Build first: npm run build.'))),
  ])) as [string];
  return { process: server, ...(JSON.parse(line) as { port: number; connectionString: string }) };
}
