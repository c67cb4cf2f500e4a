// Packs sdk/ as `npm publish` would: the service serves the package, so that partners need no registry.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CONFIGURATION = ['tsconfig.json'];

/** Returns the paths of the files that the package is made of, below the root of the repository. */
export function sdkSources() {
  const files = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'dist' || entry.name === 'node_modules' ? [] : files(path);
      return path.endsWith('.spec.ts') ? [] : [path];
    });
  return [...CONFIGURATION, ...files('sdk')].sort();
}

/**
 * Packs the package into a file, unless the file exists. It is built in a copy below `folder`, because two builds may run at once, and the
 * compiler finds its types in node_modules above. @throws Error if npm or the compiler fails; its output is on standard error
 */
export async function packSdk(folder, file) {
  if (existsSync(file)) return;
  const copy = join(folder, `pack.${process.pid}`);
  try {
    mkdirSync(copy, { recursive: true });
    for (const path of sdkSources()) cpSync(path, join(copy, path));
    const npm = spawn('npm', ['pack', '--silent', '--pack-destination', resolve(copy)], {
      cwd: join(copy, 'sdk'),
      stdio: ['ignore', 'ignore', 2],
    });
    const [status] = await once(npm, 'close');
    const packed = readdirSync(copy).find((name) => name.endsWith('.tgz'));
    if (status !== 0 || packed === undefined) throw new Error('npm pack failed in a copy of sdk/.');
    renameSync(join(copy, packed), file);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
