import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CleanUp } from './clean-up.js';

/** Characters of the end of a log that an error message shows. */
const LOG_SHOWN = 4_000;

export interface Started {
  readonly pid: number;
  readonly process: ChildProcess;
  stop(this: void): Promise<void>;
}

export interface StartOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Signal for an orderly shutdown. */
  readonly signal: NodeJS.Signals;
  /** Output that shows that the program is ready; the capture group is returned as `found`. */
  readonly ready: RegExp;
  /** File that receives standard error, as in production. */
  readonly log: string;
  /** Options of Node, such as for profiling. */
  readonly nodeArgs?: readonly string[];
}

/** Starts a Node server in a session of its own, so that Ctrl-C reaches only this process, which stops the others in order. */
export async function startServer(
  cleanUp: CleanUp,
  { args, env, signal, ready, log, nodeArgs = [] }: StartOptions,
): Promise<Started & { readonly found: string }> {
  const file = openSync(log, 'a');
  // Standard input stays open, because some programs stop when it ends.
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
          `${args.join(' ')} ended (${code ?? by ?? ''}) before it was ready:\n${output}${readFileSync(log, 'utf8').slice(-LOG_SHOWN)}`,
        ),
      );
    });
  });
  // Further output is discarded, because a full pipe would block the program.
  child.stdout?.removeAllListeners('data').resume();
  return { pid: child.pid ?? 0, process: child, stop, found };
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly onError?: (text: string) => void;
}

/** Runs a program to its end. @returns its standard output. @throws Error with its standard error if it fails. */
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

/** Returns the inherited part of the environment, without settings of the service, which must not affect the benchmark. */
function inherited(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  return { PATH, HOME, TMPDIR, LANG };
}

export function compiled(path: string): string {
  return join(process.cwd(), 'dist', path);
}
