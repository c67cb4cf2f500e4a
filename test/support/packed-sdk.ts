import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ProcessResult, run } from './rupa.js';

/** An empty project in which the package for partners is installed. */
export interface SdkProject {
  readonly folder: string;
  /** The files that the package consists of. */
  readonly packed: readonly string[];
  /** Runs Node in the project, without the settings of this repository's tests. */
  node(args: readonly string[], env?: Record<string, string>, input?: string): Promise<ProcessResult>;
  npx(args: readonly string[], env?: Record<string, string>): Promise<ProcessResult>;
  remove(): void;
}

/** Installs the package that the service serves into an empty project without network. */
export async function installPackedSdk(): Promise<SdkProject> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rupa-sdk-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'partner', private: true, type: 'module' }));
  const tarball = resolve('dist/docs/rupa-client.tgz');
  await succeed('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], folder);
  const { out } = await succeed('tar', ['-tzf', tarball], folder);
  const inProject = (program: string, args: readonly string[], env: Record<string, string> = {}, input = '') =>
    run(program, args, { NODE_OPTIONS: '', ...env }, input, folder);
  return {
    folder,
    packed: out
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, '')),
    node: (args, env, input) => inProject(process.execPath, args, env, input),
    npx: (args, env) => inProject('npx', ['--offline', ...args], env),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function succeed(program: string, args: readonly string[], folder: string): Promise<ProcessResult> {
  const result = await run(program, args, {}, '', folder);
  if (result.code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${result.err}${result.out}`);
  return result;
}
