import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCompose } from './compose.js';
import { endWithThisProcess } from './end-with-this-process.js';
import { type EventStoreProcess, startEventStoreProcess } from './event-store-process.js';
import { run } from './rupa.js';
import { freePort } from './starting.js';
import { FIRST_USERS, startStoreWithUsers, type StoreWithUsers } from './store-with-users.js';

/** An event store with TLS and users, at `localhost:PORT`. */
export interface StoreNode {
  readonly port: number;
  /** Copies the log of the running store into a new folder. */
  backUp(folder: string): Promise<void>;
  stop(): Promise<void>;
}

/** A node that cannot start ends each time. */
const STARTS = 5;

/** @param certificates the folder that ops/event-store/make-certificates.sh made for the node `localhost` @param backup a folder that another node was backed up to */
type Start = (folder: string, certificates: string, backup?: string) => Promise<StoreNode>;

/**
 * Starts a node of KurrentDB if STORE_NODE is the command that starts one, such as `dotnet KurrentDB.dll`, and else
 * the embedded event store behind a front with TLS and users. The node gets the options of docker-compose.yml.
 */
export const startStoreNode: Start = async (folder, certificates, backup) =>
  await (process.env.STORE_NODE ? startNode(process.env.STORE_NODE) : startDouble)(folder, certificates, backup);

const startDouble: Start = async (folder, certificates, backup) => {
  mkdirSync(folder, { recursive: true });
  const [store, port] = await Promise.all([startEventStoreProcess([], backup && join(backup, 'log')), freePort()]);
  const node = join(certificates, 'localhost');
  const users = backup === undefined ? Object.entries(FIRST_USERS) : usersIn(backup);
  const certificate = { key: readFileSync(join(node, 'node.key')), cert: readFileSync(join(node, 'node.crt')) };
  const front = await startStoreWithUsers({ port, storePort: store.port, certificate, users });
  return { port, backUp: (target) => backUpDouble(store, front, target), stop: () => front.close().then(() => store.close()) };
};

function usersIn(backup: string): [string, string][] {
  return JSON.parse(readFileSync(join(backup, 'users.json'), 'utf8')) as [string, string][];
}

async function backUpDouble(store: EventStoreProcess, { users }: StoreWithUsers, target: string): Promise<void> {
  mkdirSync(target);
  await store.copyTo(join(target, 'log'));
  writeFileSync(join(target, 'users.json'), JSON.stringify([...users]));
}

const startNode =
  (command: string): Start =>
  async (folder, certificates, backup) => {
    const [data, bin] = [join(folder, 'data'), join(folder, 'bin')];
    mkdirSync(bin, { recursive: true });
    // The database's part of a backup is made by other means, because its tools may be missing or of another version.
    writeFileSync(join(bin, 'pg_dump'), '#!/bin/sh\nwhile [ $# -gt 0 ]; do [ "$1" != -f ] || echo dump >"$2"; shift; done\n');
    chmodSync(join(bin, 'pg_dump'), 0o755);
    const script = async (path: string, argument: string): Promise<void> => {
      const env = { ESDB_DATA: data, DATABASE_URL: 'none', PATH: `${bin}:${process.env.PATH ?? ''}` };
      const { code, err } = await run('sh', [path, argument], env);
      if (code !== 0) throw new Error(err);
    };
    if (backup !== undefined) await script('ops/backup/restore-log.sh', backup);
    const [port, replicationPort] = [await freePort(), await freePort()];
    const env = nodeEnvironment({ folder, data, certificates, port, replicationPort });
    let node = launch(command, env);
    // A restored node cuts the log and ends, and a container is then started again (restart: unless-stopped).
    let isStopping = false;
    let starts = 1;
    const startAgain = (): void => {
      if (isStopping) return;
      starts += 1;
      if (starts > STARTS) {
        process.stderr.write(
          `The node in ${folder} ended ${STARTS} times, so it is not started again. Its log is in ${join(folder, 'log')}.\n`,
        );
        return;
      }
      node = launch(command, env);
      node.once('exit', startAgain);
    };
    node.once('exit', startAgain);
    return {
      port,
      backUp: (target) => script('ops/backup/back-up.sh', target),
      stop: async () => {
        isStopping = true;
        if (node.exitCode !== null) return;
        const exited = once(node, 'exit');
        node.kill('SIGTERM');
        await exited;
      },
    };
  };

interface NodePlace {
  readonly folder: string;
  readonly data: string;
  readonly certificates: string;
  readonly port: number;
  readonly replicationPort: number;
}

function nodeEnvironment({ folder, data, certificates, port, replicationPort }: NodePlace): Record<string, string> {
  const { environment = {} } = readCompose().services['event-store-1'] ?? {};
  const { KURRENTDB_GOSSIP_SEED: _, ...options } = environment;
  const mounted = Object.entries(options).map(([name, value]) => [
    name,
    value.replace(/^\/certificates(\/event-store-1)?/, (_, node?: string) => (node ? join(certificates, 'localhost') : certificates)),
  ]);
  return {
    ...(Object.fromEntries(mounted) as Record<string, string>),
    KURRENTDB_CLUSTER_SIZE: '1',
    KURRENTDB_NODE_HOST_ADVERTISE_AS: 'localhost',
    KURRENTDB_REPLICATION_HOST_ADVERTISE_AS: 'localhost',
    KURRENTDB_NODE_IP: '127.0.0.1',
    KURRENTDB_REPLICATION_IP: '127.0.0.1',
    KURRENTDB_NODE_PORT: String(port),
    KURRENTDB_REPLICATION_PORT: String(replicationPort),
    KURRENTDB_DB: data,
    KURRENTDB_LOG: join(folder, 'log'),
  };
}

function launch(command: string, env: Record<string, string>): ChildProcess {
  const node = spawn('sh', ['-c', `exec ${command}`], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  endWithThisProcess(node);
  return node;
}
