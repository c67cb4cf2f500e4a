import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run, type ProcessResult } from './rupa.js';

/**
 * Returns the commands of a page in docs/ that follow the marker `<!-- recipe: NAME -->`, without the indentation of a list.
 * @throws Error if the page has no such marker or more than one
 */
export function recipe(page: string, name: string): string {
  const text = readFileSync(page, 'utf8');
  const found = [...text.matchAll(/^( *)<!-- recipe: (.+) -->\n\n\1```(?:sh|sql)\n([\s\S]*?)\n\1```$/gm)].filter(
    ([, , marked]) => marked === name,
  );
  const [first, ...others] = found;
  if (!first || others.length > 0) throw new Error(`${page} has ${found.length} recipes named "${name}".`);
  return (first[3] ?? '').replaceAll(new RegExp(`^${first[1] ?? ''}`, 'gm'), '');
}

/** Returns the names of all recipes of a page. */
export function recipeNames(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/<!-- recipe: (.+) -->/g)].map(([, name = '']) => name);
}

export interface Shell {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** docs/operations.md says that `rupa` stands for `npx rupa`. */
const PREPARED = 'set -euo pipefail; rupa() { npx rupa "$@"; }';

/** Runs commands as they are pasted into bash; the first one that fails ends them. */
export async function paste(commands: string, { folder, env }: Shell): Promise<ProcessResult> {
  return await run('bash', ['-c', `cd "$RECIPE_FOLDER"\n${PREPARED}\n${commands}`], { ...env, RECIPE_FOLDER: folder });
}

/** Copies the files that git tracks, as they are now. */
export async function copyTracked(to: string): Promise<void> {
  const { out } = await run('git', ['ls-files', '-z']);
  for (const path of out.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(path, join(to, path));
  }
}

export interface LongRecipe {
  output(): string;
  readonly ended: Promise<unknown>;
  /** Sends SIGINT to all processes of the recipe, as Ctrl-C does, and waits for their end. */
  stop(): Promise<void>;
}

/** Starts commands of which the last one goes on running, in a process group of their own. */
export function pasteWithoutWaiting(commands: string, { folder, env }: Shell): LongRecipe {
  const child = spawn('bash', ['-c', `${PREPARED}\n${commands}`], {
    cwd: folder,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const end = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, signal);
  };
  process.once('exit', () => {
    end('SIGKILL');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    output: () => output,
    ended,
    stop: async () => {
      end('SIGINT');
      await ended;
    },
  };
}
