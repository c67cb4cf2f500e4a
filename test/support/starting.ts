import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { endWithThisProcess } from './end-with-this-process.js';

/** A process of the service that may not be up yet. */
export interface Starting {
  readonly pid: number;
  /** Returns everything that the process printed. */
  output(): string;
  readonly exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** @param args arguments for Node; the default starts the service as `npm start` does. */
export function startWithoutWaiting(env: Record<string, string>, args: readonly string[] = [resolve('dist/src/main.js')]): Starting {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PORT: '0', DEMO: 'false', LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let output = '';
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    exited: once(child, 'close').then(([code]) => code as number | null),
    kill: (signal) => void child.kill(signal),
  };
}

/**
 * Below the ports that systems give to outgoing connections, and to servers that leave the choice to the system. Above those that `fetch` and
 * browsers refuse to connect to, of which 10080 is the highest.
 */
const PORTS = [10_081, 32_000] as const;
/** Jest workers that have ports of their own, so that no two choose the same port before either uses it. */
const WORKERS = 16;
const chosen = new Set<number>();

/**
 * Returns a TCP port that is not in use. No connection of another test takes it before it is used, or while its server is away: the system
 * would choose from the same ports for those as it would choose this one from.
 */
export async function freePort(): Promise<number> {
  const [first, end] = PORTS;
  const share = Math.floor((end - first) / WORKERS);
  const own = first + share * (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS);
  for (;;) {
    const port = randomInt(own, own + share);
    if (chosen.has(port)) continue;
    chosen.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    await new Promise((closed) => server.close(closed));
    if (isFree) return port;
  }
}
