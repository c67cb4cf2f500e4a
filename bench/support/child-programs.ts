import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CleanUp } from './clean-up.js';

/** Characters of a log that tell why its program ended. */
const LOG_SHOWN = 4_000;

export interface Started {
  readonly pid: number;
  readonly process: ChildProcess;
  stop(this: void): Promise<void>;
}

export interface StartOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Ends it the way it is meant to be ended. */
  readonly signal: NodeJS.Signals;
  /** It is up once it has printed this; what is in the brackets is the answer. */
  readonly ready: RegExp;
  /** Where its standard error goes: a file, as in production. */
  readonly log: string;
  /** Options of Node itself, such as for a profile. */
  readonly nodeArgs?: readonly string[];
}

/** A Node program that serves, in a session of its own: Ctrl-C reaches this process alone, which ends the rest in order. */
export async function startServer(
  cleanUp: CleanUp,
  { args, env, signal, ready, log, nodeArgs = [] }: StartOptions,
): Promise<Started & { readonly found: string }> {
  const file = openSync(log, 'a');
  // Its standard input stays open: some end when it ends.
  const child = spawn(process.execPath, [...nodeArgs, ...args], {
    env: { ...inherited(), ...env },
    cwd: cleanUp.root,
    stdio: ['pipe', 'pipe', file],
    detached: true,
  });
  closeSync(file);
  const stop = cleanUp.own(child, signal);
  let output = '';
  const found = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = ready.exec(output);
      if (match) resolve(match[1] ?? '');
    });
    child.once('error', reject);
    child.once('exit', (code, by) => {
      reject(
        new Error(
          `${args.join(' ')} ended (${code ?? by ?? ''}) before it was up:\n${output}${readFileSync(log, 'utf8').slice(-LOG_SHOWN)}`,
        ),
      );
    });
  });
  // Nobody reads on, and a full pipe would stop it.
  child.stdout?.removeAllListeners('data').resume();
  return { pid: child.pid ?? 0, process: child, stop, found };
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly onError?: (text: string) => void;
}

/** A program that does something and ends. @returns what it printed. @throws Error with what it complained of. */
export async function run(
  cleanUp: CleanUp,
  program: string,
  args: readonly string[],
  { env = {}, onError }: RunOptions = {},
): Promise<string> {
  const child = spawn(program, args, {
    env: { ...inherited(), ...env },
    cwd: cleanUp.root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  cleanUp.own(child, 'SIGTERM');
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    onError?.(text);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code ?? 'a signal'}:\n${err}`);
  return out;
}

/** Settings of the service in this environment are not the benchmark's. */
function inherited(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  return { PATH, HOME, TMPDIR, LANG };
}

export function compiled(path: string): string {
  return join(process.cwd(), 'dist', path);
}
