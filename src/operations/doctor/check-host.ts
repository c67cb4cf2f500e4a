import { statfs } from 'node:fs/promises';
import { isOldNode, NODE_MAJOR } from '../../platform/node-version.js';
import { type Settings, VARIABLES } from '../../settings/declaration.js';
import { readerOf } from '../../settings/read.js';
import { attempt, failure, type Finding, ok, warning } from './finding.js';

const GIB = 1024 ** 3;
const FREE_WARNING = 2 * GIB;

export function checkNode(version = process.versions.node): Finding {
  return isOldNode(version)
    ? failure('Node', version, `Use Node ${NODE_MAJOR} or newer: after npm ci, npm start and npx rupa run with the one from node_modules.`)
    : ok('Node', version);
}

/** Checks the free disk space of the folder with the embedded stores and the generated secrets, which is safe to use. */
export async function checkDataFolder(dataDir: string): Promise<readonly Finding[]> {
  return await attempt('data folder', `Allow this user to read ${dataDir}.`, async () => {
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    return [
      ok('data folder', dataDir),
      free < FREE_WARNING
        ? warning(
            'disk',
            `${(free / GIB).toFixed(1)} GiB free at ${dataDir}`,
            'Free some space: the log only grows, and a rebuild needs a second copy of the read models.',
          )
        : ok('disk', `${(free / GIB).toFixed(1)} GiB free`),
    ];
  });
}

/** Reports settings that suit a trial but not a service that handles partners' money, as their declarations say. */
export function checkProduction(settings: Settings): readonly Finding[] {
  if (!settings.production) return [ok('production', 'not checked: NODE_ENV is not production')];
  const read = readerOf(settings);
  const findings = VARIABLES.flatMap((variable): Finding[] => {
    const advice = variable.productionAdvice?.(read(variable), read);
    return advice ? [{ check: 'production', ...advice }] : [];
  });
  return findings.length > 0 ? findings : [ok('production', 'the settings are fit for production')];
}
