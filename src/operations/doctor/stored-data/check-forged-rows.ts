import { type Pool } from 'pg';
import { AUTHENTICATED } from '../../../../projections/index.js';
import { type ForgedRow, forgedRows, isCreated } from '../../../platform/projecting/forged-rows.js';
import { failure, type Finding, ok } from '../finding.js';

/** Rows that are named one by one. */
const MAX_NAMED = 20;

/** Names the rows that decide and that the projector did not write, as far as readers and sweeps have noticed them (docs/adr/0042). */
export async function checkForgedRows(pool: Pool): Promise<readonly Finding[]> {
  const found = (await isCreated(pool)) ? await forgedRows(pool, MAX_NAMED + 1) : [];
  if (found.length === 0) return [ok('rows', 'every row that was read to decide was written by the projector')];
  const named = found
    .slice(0, MAX_NAMED)
    .map(({ table_name, row_key, noticed_at, difference }) =>
      failure(
        'rows',
        `the row ${row_key} of ${table_name} ${difference === null ? FORGED : DIFFERS[difference]} (noticed at ${noticed_at})`,
        `Find out who writes to the database. ${endOf(table_name, difference)}`,
      ),
    );
  const others = found.length > MAX_NAMED ? [failure('rows', 'there are more', 'Run: rupa projections verify --all')] : [];
  return [...named, ...others];
}

const FORGED = 'cannot be trusted: somebody edited or deleted it, or put an older one back';
const DIFFERS = {
  missing: 'is missing: somebody deleted it',
  unexpected: 'is not in the log: somebody added it or put it back',
  different: 'is not that of the log: somebody put an older one back',
} satisfies Record<NonNullable<ForgedRow['difference']>, string>;

/** How calls use the right row again. */
function endOf(table: string, difference: ForgedRow['difference']): string {
  if (difference !== null) return `The table differs from the log until you run: rupa projections rebuild ${table}`;
  if (AUTHENTICATED.includes(table))
    return `Calls that need the row, or one that is made from it, get a 503 until you run: rupa projections rebuild ${table}`;
  if (table === 'stored_response')
    return 'Calls with its Idempotency-Key get a 503 until 24 hours after the first one. Nothing is charged by them.';
  return 'Nobody is signed in by it.';
}
