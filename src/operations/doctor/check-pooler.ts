import { connectionConfig } from '../../platform/database/pool.js';
import { refuseUnfitPooler } from '../../platform/database/refuse-unfit-pooler.js';
import { DatabaseUnusable } from '../../platform/database/session-settings.js';
import { failure, type Finding } from './finding.js';

/** Reports a connection pooler that shares sessions between connections. Whether PostgreSQL answers at all is the next check's to report. */
export async function checkPooler(databaseUrl: string): Promise<readonly Finding[]> {
  try {
    await refuseUnfitPooler(connectionConfig(databaseUrl));
    return [];
  } catch (error) {
    if (!(error instanceof DatabaseUnusable)) return [];
    return [failure('PostgreSQL', error.message, 'The service does not start before the pooler or DATABASE_URL is changed.')];
  }
}
