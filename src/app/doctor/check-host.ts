import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isOldNode, NODE_MAJOR } from '../../node-version.js';
import { type Settings, VARIABLES } from '../settings/declaration.js';
import { readerOf } from '../settings/read.js';
import { attempt, failure, type Finding, ok, warning } from './finding.js';

const GIB = 1024 ** 3;
const FREE_WARNING = 2 * GIB;
const OTHERS = 0o077;

export function checkNode(version = process.versions.node): Finding {
  return isOldNode(version)
    ? failure('Node', version, `Run it with Node ${NODE_MAJOR} or newer: npm start and npx rupa bring it along after npm ci.`)
    : ok('Node', version);
}

/** Where embedded stores and generated secrets lie. */
export async function checkDataFolder(dataDir: string): Promise<readonly Finding[]> {
  return await attempt('data folder', `See that this user may read ${dataDir}.`, async () => {
    const secrets = join(dataDir, 'secrets.json');
    const open = existsSync(secrets) && ((await stat(secrets)).mode & OTHERS) !== 0;
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    return [
      open
        ? failure(
            'data folder',
            `${secrets} can be read by others`,
            `chmod 600 ${secrets}, and replace what is in it if others use this host.`,
          )
        : ok('data folder', dataDir),
      free < FREE_WARNING
        ? warning(
            'disk',
            `${(free / GIB).toFixed(1)} GiB free at ${dataDir}`,
            'Make room: the log only grows, and a rebuild needs a second copy of the read models.',
          )
        : ok('disk', `${(free / GIB).toFixed(1)} GiB free`),
    ];
  });
}

/** What the declarations of the settings say about values that suit a trial, and not a service that handles partners' money. */
export function checkProduction(settings: Settings): readonly Finding[] {
  if (!settings.production) return [ok('production', 'no: NODE_ENV is not production')];
  const read = readerOf(settings);
  const findings = VARIABLES.flatMap((variable): Finding[] => {
    const advice = variable.unfit?.(read(variable), read);
    return advice ? [{ check: 'production', ...advice }] : [];
  });
  return findings.length > 0 ? findings : [ok('production', 'settings are fit for it')];
}
