import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

export interface NodeProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The next line of its standard output. @throws Error with its standard error, if it ends before. */
  line(): Promise<string>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Ends its standard input, by which it knows that it has to end. */
  close(): Promise<number | string>;
  kill(): Promise<void>;
}

/** Node with these arguments. It is to end when its standard input does, and so ends with this process. */
export function startNode(args: readonly string[], options: SpawnOptions = {}): NodeProcess {
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    process: child,
    pid: child.pid ?? 0,
    line: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The process ended: ${errors.join('')}`);
      return value;
    },
    ended,
    close: () => {
      child.stdin.end();
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A program that can import what the build made as `dist('embedded/postgres.js')` and ends when its standard input does. */
export function startScript(code: string, args: readonly string[] = []): NodeProcess {
  const dist = pathToFileURL(`${process.cwd()}/dist/`).href;
  const prelude = `const dist = (path) => import(new URL(path, '${dist}')); process.stdin.on('end', () => process.exit(0)).resume();`;
  // Threads would inherit --input-type, and refuse it.
  return startNode(['--eval', `${prelude} (async () => { ${code} })();`, '--', ...args]);
}
