import { withReason } from '../../platform/database/database-outage.js';
import { storeOutage } from '../../platform/store-outages.js';
import { errorResponses } from '../registered-errors.js';

/** SQLSTATEs of a schema, table, column or function that is not there. */
const OF_OTHER_TABLES = new Set(['3F000', '42P01', '42703', '42883']);
const OTHER_TABLES =
  'The database lacks tables or columns of this release: another release made them, or the read models are not built yet. Run the commands of the release that the service runs, or start this release, which migrates and builds them. rupa doctor says what differs.';

/** Returns what a command prints that has failed. If a store cannot serve, the error names no setting, which `rupa doctor` does. */
export function explainFailure(error: unknown): string {
  const rejected = errorResponses.to(error)?.message;
  if (rejected !== undefined) return rejected;
  const text = withReason(error as Error);
  if (OF_OTHER_TABLES.has(String((error as { readonly code?: unknown }).code))) return `${text}\n${OTHER_TABLES}`;
  return storeOutage(error) === undefined ? text : `${text}\nRun rupa doctor: it examines the stores that the settings name.`;
}
