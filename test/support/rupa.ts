import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const CLI = resolve('dist/src/cli.js');

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line as people run it, on the stores in a data folder. */
export async function rupa(dataDir: string, args: readonly string[], input = ''): Promise<Ran> {
  const cli = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, DATA_DIR: dataDir }, stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  cli.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  cli.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  cli.stdin.end(input);
  const [code] = (await once(cli, 'close')) as [number | null];
  return { code, out, err };
}
