import { type Settings } from '../settings/declaration.js';
import { SettingsInvalid } from '../settings/read.js';
import { findRunningStores, openStores, refuseMissingStores } from '../stores.js';
import { checkDataFolder } from './check-host.js';
import { examine } from './examine.js';
import { attempt, failure, type Finding, ok } from './finding.js';

/**
 * Examines the settings and, where those are valid, the stores that they name.
 * @throws StoresMissing if there are no stores to examine
 */
export async function examineDeployment(readSettings: () => Settings): Promise<readonly Finding[]> {
  try {
    const settings = readSettings();
    return [ok('settings', 'valid'), ...(await examineStores(settings))];
  } catch (error) {
    if (!(error instanceof SettingsInvalid)) throw error;
    return error.sentences.map((sentence) => failure('settings', sentence, 'docs/settings.md describes every variable.'));
  }
}

async function examineStores(settings: Settings): Promise<readonly Finding[]> {
  const given = settings.databaseUrl !== undefined && settings.eventStoreUrl !== undefined;
  if (given) return await examineOpened(settings, undefined);
  const dataDir = await refuseMissingStores(settings);
  const { folderFault } = await import('../../../embedded/folder-safety.js');
  const fault = folderFault(dataDir);
  if (fault) return [failure('data folder', fault.found, fault.todo)];
  const running = await findRunningStores(settings);
  if (running) return [...(await checkDataFolder(dataDir)), ...(await examine(settings, running))];
  const { missingSecrets } = await import('../../../embedded/data-folder.js');
  const missing = missingSecrets(dataDir);
  if (missing !== undefined) return [failure('data folder', missing, 'Restore secrets.json from a backup of the data folder.')];
  return [...(await checkDataFolder(dataDir)), ...(await examineOpened(settings, dataDir))];
}

/** Opens the stores for the duration of the examination, because no running service has opened the embedded ones. */
async function examineOpened(settings: Settings, dataDir: string | undefined): Promise<readonly Finding[]> {
  return await attempt(
    'stores',
    dataDir === undefined ? 'Correct the settings.' : `Check which process uses ${dataDir}, and read postgres.log in it.`,
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
