import { type Pool } from 'pg';
import { RepeatedWork } from '../repeated-work.js';

/** Rows that one statement deletes: it takes some tens of milliseconds, so that no lock and no transaction lasts long. */
const ROWS_PER_STATEMENT = 5_000;

/** The rows of a table whose time in `column` is more than `seconds` ago. An index should begin with the column. */
export interface OldRows {
  readonly table: string;
  readonly column: string;
  readonly seconds: number;
  /** Condition of the rows to delete, such as `next_attempt_at is null`. */
  readonly where?: string;
}

/** Called after each statement with the number of rows that it deleted. */
export type OnDeleted = (table: string, rows: number) => void;

export interface DeletingOptions {
  readonly onDeleted?: OnDeleted | undefined;
  /** No further statement begins once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly rowsPerStatement?: number;
}

/**
 * Deletes old rows, a limited number per statement and each statement in a transaction of its own. Rows that another transaction has locked
 * are left for the next time, so several processes may delete at once.
 */
export async function deleteOldRows(
  pool: Pick<Pool, 'query'>,
  rows: OldRows,
  { onDeleted, signal, rowsPerStatement = ROWS_PER_STATEMENT }: DeletingOptions = {},
): Promise<void> {
  const statement = statementOf(rows);
  let last = '-infinity';
  for (let full = true; full && signal?.aborted !== true;) {
    const { rows: results } = await pool.query<{ count: number; last: string | null }>(statement, [rows.seconds, rowsPerStatement, last]);
    const deleted = results[0]?.count ?? 0;
    // The next statement begins at the last time, so that it does not walk past the index entries of all rows deleted so far.
    last = results[0]?.last ?? last;
    if (deleted > 0) onDeleted?.(rows.table, deleted);
    full = deleted === rowsPerStatement;
  }
}

function statementOf({ table, column, where = 'true' }: OldRows): string {
  return `with deleted as (
      delete from ${table} where ctid = any(array(
        select ctid from ${table}
        where ${column} < now() - make_interval(secs => $1) and ${column} >= $3::timestamptz and ${where}
        order by ${column} limit $2 for update skip locked))
      returning ${column} as time)
    select count(*)::int as count, max(time)::text as last from deleted`;
}

const EVERY_MS = 10 * 60 * 1_000;

/** Deletes old rows every ten minutes. */
export class RepeatedDeletion {
  private readonly stopping = new AbortController();
  private readonly runs: RepeatedWork;

  /** @param onFailure is told why a run failed; the next one comes ten minutes later */
  constructor(
    private readonly pool: Pool,
    private readonly old: OldRows,
    private readonly onDeleted: OnDeleted,
    onFailure: (error: unknown) => void,
  ) {
    this.runs = new RepeatedWork(EVERY_MS, () => this.run(), onFailure);
  }

  start(): void {
    this.runs.start();
  }

  /** Waits for the statement under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.runs.stop();
  }

  async run(): Promise<void> {
    await deleteOldRows(this.pool, this.old, { signal: this.stopping.signal, onDeleted: this.onDeleted });
  }
}
