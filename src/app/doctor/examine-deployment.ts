import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Settings } from '../settings/declaration.js';
import { SettingsInvalid } from '../settings/read.js';
import { findRunningStores, openStores } from '../stores.js';
import { checkDataFolder } from './check-host.js';
import { examine } from './examine.js';
import { attempt, failure, type Finding, ok, warning } from './finding.js';

/** Examines the settings and, where those are valid, the stores that they name. */
export async function examineDeployment(readSettings: () => Settings): Promise<readonly Finding[]> {
  try {
    const settings = readSettings();
    return [ok('settings', 'valid'), ...(await examineStores(settings))];
  } catch (error) {
    if (!(error instanceof SettingsInvalid)) throw error;
    return error.sentences.map((sentence) => failure('settings', sentence, 'docs/settings.md tells every variable.'));
  }
}

async function examineStores(settings: Settings): Promise<readonly Finding[]> {
  const given = settings.databaseUrl !== undefined && settings.eventStoreUrl !== undefined;
  if (given) return await examineOpened(settings, undefined);
  const { resolveDataDir } = await import('../../../embedded/data-folder.js');
  const dataDir = resolveDataDir(settings.dataDir, process.cwd());
  const running = await findRunningStores(settings);
  if (running) return [...(await checkDataFolder(dataDir)), ...(await examine(settings, running))];
  if (!existsSync(join(dataDir, 'secrets.json')))
    return [warning('data folder', `${dataDir} is empty`, 'The first start makes the embedded stores there; then run this again.')];
  return [...(await checkDataFolder(dataDir)), ...(await examineOpened(settings, dataDir))];
}

/** Opens embedded stores that no service has opened, for as long as the examination takes. */
async function examineOpened(settings: Settings, dataDir: string | undefined): Promise<readonly Finding[]> {
  return await attempt(
    'stores',
    dataDir === undefined ? 'Correct the settings.' : `See what holds ${dataDir}, and postgres.log in it.`,
    async () => {
      const stores = await openStores(settings, () => undefined);
      try {
        return await examine(settings, stores);
      } finally {
        await stores.stop();
      }
    },
  );
}
