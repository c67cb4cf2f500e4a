import { type Settings } from '../../settings/declaration.js';
import { SettingsInvalid } from '../../settings/read.js';
import { sentenceOfUnknown, unknownNames } from '../../settings/unknown-names.js';
import { findRunningStores, openStores, refuseMissingStores } from '../../stores/stores.js';
import { checkDataFolder } from './check-host.js';
import { checkTopology, ownMetrics } from './check-topology.js';
import { examine } from './examine.js';
import { attempt, failure, type Finding, ok, warning } from './finding.js';

/** The doctor examines these besides the settings and the stores. */
export interface Examined {
  /** Addresses of the APIs' metrics; without any, the doctor reads those that the settings name. */
  readonly metricsUrls: readonly string[];
}

/**
 * Examines the settings and, where those are valid, the stores that they name.
 * @throws StoresMissing if there are no stores to examine
 */
export async function examineDeployment(readSettings: () => Settings, { metricsUrls }: Examined): Promise<readonly Finding[]> {
  try {
    const settings = readSettings();
    return [ok('settings', 'valid'), ...misspelt(), ...(await examineStores(settings)), ...(await topology(settings, metricsUrls))];
  } catch (error) {
    if (!(error instanceof SettingsInvalid)) throw error;
    return error.sentences.map((sentence) => failure('settings', sentence, 'docs/settings.md describes every variable.'));
  }
}

/** Reads the environment after the settings, which add the variables of the file `.env` to it. */
function misspelt(): readonly Finding[] {
  return unknownNames(process.env).map((unknown) => warning('settings', sentenceOfUnknown(unknown), 'Correct its name, or unset it.'));
}

/** Metrics that the settings name are read only if this process runs beside the service. */
async function topology(settings: Settings, urls: readonly string[]): Promise<readonly Finding[]> {
  if (urls.length > 0) return await checkTopology(urls);
  const own = await checkTopology(ownMetrics(settings));
  return own.some(({ status, found }) => status === 'warning' && found.includes('cannot be read')) ? await checkTopology([]) : own;
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
