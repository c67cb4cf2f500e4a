import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedPostgres, type PostgresOptions, startPostgres } from '../../embedded/postgres.js';
import { endPidWithThisProcess } from './end-with-this-process.js';
import { copyCluster, temporaryDataDir } from './service.js';
import { freePort } from './starting.js';

/** A PostgreSQL of the test's own, which it can stop without disturbing other tests. */
export interface OwnPostgres {
  readonly url: string;
  /** Freezes all its processes with SIGSTOP; connections stay open. */
  pause(): void;
  resume(): void;
  /** Ends all its processes with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after a kill, on the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const { dataDir, release } = temporaryDataDir();
  copyCluster(dataDir);
  const postmaster = (): number => Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const start = async (options?: Pick<PostgresOptions, 'port'>): Promise<EmbeddedPostgres> => {
    const started = await startPostgres({ dataDir, ...options });
    endPidWithThisProcess(postmaster(), started.exited);
    return started;
  };
  // The system could give a port of its own choice to another test while this server is away.
  let server = await start({ port: await freePort() });
  const signal = (name: NodeJS.Signals): void => {
    const pid = postmaster();
    // The postmaster is first: it would start a recovery when it saw another process end.
    process.kill(pid, name);
    for (const child of childrenOf(pid)) signalIfRunning(child, name);
  };
  return {
    url: server.connectionString,
    pause: () => {
      signal('SIGSTOP');
    },
    resume: () => {
      signal('SIGCONT');
    },
    kill: async () => {
      signal('SIGKILL');
      await server.exited;
    },
    restart: async () => {
      server = await start({ port: server.port });
    },
    close: async () => {
      signal('SIGCONT');
      await server.stop();
      await release();
    },
  };
}

/** A session may end on its own at any time. */
function signalIfRunning(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

/** Returns undefined if the process has just ended. */
function parentOf(pid: number): number | undefined {
  try {
    // The name in parentheses may contain spaces; the state and the parent's id follow it.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(parent);
  } catch {
    return undefined;
  }
}
