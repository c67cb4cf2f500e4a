import { withReason } from '../../platform/database/database-outage.js';
import { storeOutage } from '../../platform/store-outages.js';
import { errorResponses } from '../registered-errors.js';

/** Returns what a command prints that has failed. If a store cannot serve, the error names no setting, which `rupa doctor` does. */
export function explainFailure(error: unknown): string {
  const rejected = errorResponses.to(error)?.message;
  if (rejected !== undefined) return rejected;
  const text = withReason(error as Error);
  return storeOutage(error) === undefined ? text : `${text}\nRun rupa doctor: it examines the stores that the settings name.`;
}
