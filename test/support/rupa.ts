import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { CommandHost, type ProcessResult } from './commands.js';
import { type Application } from './service.js';

const CLI = resolve('dist/src/cli.js');
const DEMO_LOG = resolve('dist/bench/demo-log/main.js');

export type { ProcessResult };

type Home = Pick<Application, 'dataDir' | 'stores'>;

/** The commands that this spec file has run in a process of their own, such as `partners list`. */
const shown = new Set<string>();
const host = new CommandHost();

/**
 * Runs the command line on a data folder, or on the stores of a running service. The first run of each command in a spec file is a process
 * of its own, which shows that it starts with its settings and ends by itself. Further runs share a process where they need no other.
 * @param input what the command reads from standard input, for which it has a process of its own
 */
export async function rupa(
  home: string | Home,
  args: readonly string[],
  input = '',
  env: Record<string, string> = {},
): Promise<ProcessResult> {
  const { dataDir, stores } = typeof home === 'string' ? { dataDir: home, stores: {} } : home;
  const settings = { DATA_DIR: dataDir, ...stores, ...env };
  const command = args.slice(0, 2).join(' ');
  const canShare = input === '' && !('NODE_OPTIONS' in env) && shown.has(command) && !host.isBusy;
  if (canShare) return await host.run(args, { ...process.env, ...settings });
  shown.add(command);
  return await run(process.execPath, [CLI, ...args], settings, input);
}

/** Starts a command on a data folder that waits for something. `printed` returns what it has written to standard error so far. */
export function startRupa(
  dataDir: string,
  args: readonly string[],
  env: Record<string, string>,
): { readonly printed: () => string; readonly ended: Promise<ProcessResult> } {
  let printed = '';
  const ended = run(process.execPath, [CLI, ...args], { DATA_DIR: dataDir, ...env }, '', process.cwd(), (text) => (printed += text));
  return { printed: () => printed, ended };
}

/** Runs the program behind `npm run demo-log`, which fills the empty log of a data folder. */
export async function demoLog(dataDir: string, args: readonly string[], env: Record<string, string> = {}): Promise<ProcessResult> {
  return await run(process.execPath, [DEMO_LOG, ...args], { DATA_DIR: dataDir, ...env });
}

export async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
  cwd = process.cwd(),
  onError: (text: string) => void = () => undefined,
): Promise<ProcessResult> {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (err += text))
    .on('data', onError);
  // A program may end without reading its input.
  child.stdin.on('error', () => undefined).end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
