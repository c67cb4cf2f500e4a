import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** Packs the package as `npm publish` would, and installs it into an empty project without network. */
export async function installPackedSdk(): Promise<SdkProject> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rupa-sdk-'));
  const [copy, project] = [join(folder, 'copy'), join(folder, 'project')];
  // A build in sdk/ itself would disturb another spec that packs at the same time.
  mkdirSync(copy);
  for (const path of ['tsconfig.json', 'sdk'])
    cpSync(path, join(copy, path), { recursive: true, filter: (file) => !file.endsWith('/dist') });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'partner', private: true, type: 'module' }));

  const { out } = await succeed('npm', ['pack', '--json', '--pack-destination', folder], join(copy, 'sdk'));
  const [pack] = Object.values(JSON.parse(out) as Record<string, { filename: string; files: { path: string }[] }>);
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? '';
  await succeed('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], project);
  const inProject = (program: string, args: readonly string[], env: Record<string, string> = {}, input = '') =>
    run(program, args, { NODE_OPTIONS: '', ...env }, input, project);
  return {
    folder: project,
    packed: (pack?.files ?? []).map(({ path }) => path),
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
