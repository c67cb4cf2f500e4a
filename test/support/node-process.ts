import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

export interface NodeProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Returns the next line of standard output. @throws Error with the standard error output if the process has ended. */
  line(): Promise<string>;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | string>;
  /** Closes standard input, which tells the process to end. */
  close(): Promise<number | string>;
  kill(): Promise<void>;
}

/** Starts Node with these arguments. The program must end when its standard input closes, so that it never outlives this process. */
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

/** Starts a program that imports compiled modules by `dist('embedded/postgres.js')` and ends when its standard input closes. */
export function startScript(code: string, args: readonly string[] = []): NodeProcess {
  const dist = pathToFileURL(`${process.cwd()}/dist/`).href;
  const prelude = `const dist = (path) => import(new URL(path, '${dist}')); process.stdin.on('end', () => process.exit(0)).resume();`;
  // Worker threads would inherit --input-type, and refuse it.
  return startNode(['--eval', `${prelude} (async () => { ${code} })();`, '--', ...args]);
}
