import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientBase, type Pool } from 'pg';
import { inTransaction } from '../../database/pool.js';
import { columnsOf } from '../../database/schema.js';
import { readCheckpoints, positionOf } from '../checkpoints.js';
import { HiddenStreams } from '../hidden-streams.js';
import { type Authenticated, type Projection, tablesOf } from '../projection.js';
import { type ReadTable } from '../read-table.js';
import { ShadowSchema, type ShadowParts } from './shadow.js';

/** A row is missing from the live table, unexpected there, or has other values. */
export const DIFFERENCE_KINDS = ['missing', 'unexpected', 'different'] as const;

export interface Difference {
  /** The row's primary key, as JSON. */
  readonly key: string;
  readonly kind: (typeof DIFFERENCE_KINDS)[number];
  /** Names of the columns that differ; empty unless `kind` is `different`. */
  readonly columns: readonly string[];
}

export interface VerificationResult {
  /** Name of the table: the projection's own, or one that is derived from it. */
  readonly projection: string;
  readonly rows: number;
  readonly differing: number;
  /** The first {@link DIFFERENCES_SHOWN} differences, in the order of their keys. */
  readonly differences: readonly Difference[];
  /** SHA-256 of all rows of the live table in the order of their keys, in hex. */
  readonly digest: string;
}

export const DIFFERENCES_SHOWN = 100;
const PAGE = 2_000;

const CATCH_UP_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * Rebuilds the read models in a shadow schema and compares them with the live ones row by row, at the same position, without blocking the
 * projector.
 */
export async function verify(parts: ShadowParts, projections: readonly Projection[], liveSchema: string): Promise<VerificationResult[]> {
  const hidden = await HiddenStreams.find(parts, projections);
  const shadow = await ShadowSchema.create(parts, projections, 'verify', hidden);
  try {
    await shadow.replay((await parts.eventStore.headPosition()) ?? -1n);
    await waitForLive(parts, projections, shadow.position);
    const identities = await identitiesOf(parts.pool, projections, liveSchema);
    return await inTransaction(parts.pool, async (live) => {
      // A snapshot keeps rows and checkpoints consistent with each other, however long the comparison takes.
      await live.query('set transaction isolation level repeatable read read only');
      const known = await readCheckpoints(live);
      const positions = new Set(projections.map(({ name }) => known.get(name)?.position ?? '-1'));
      if (positions.size > 1)
        throw new Error('The live read models are at different positions: one of them is catching up. Run the verification again.');
      for (const position of positions) await shadow.replay(BigInt(position));
      hidden.refuseIncomplete();
      await shadow.flush();
      const [faulted] = shadow.faults;
      if (faulted) throw new Error(`The read model ${faulted[0]} cannot be rebuilt from the log: ${faulted[1].reason}`);
      return await inTransaction(parts.pool, async (rebuilt) => {
        const verified: VerificationResult[] = [];
        for (const table of tablesOf(projections))
          verified.push(await compare(table, { client: live, schema: liveSchema }, { client: rebuilt, schema: shadow.schema }, parts));
        await assertNotSwapped(live, projections, liveSchema, identities);
        return verified;
      });
    });
  } finally {
    await shadow.drop();
  }
}

/** Returns what tells the live tables from those with which a rebuild swaps them. */
export async function identitiesOf(client: Pick<Pool, 'query'>, projections: readonly Projection[], liveSchema: string): Promise<string> {
  const tables = tablesOf(projections).map(({ name }) => `${liveSchema}.${name}`);
  const { rows } = await client.query<{ oids: string }>(
    'select array_agg(to_regclass(name)::oid order by name)::text as oids from unnest($1::text[]) as name',
    [tables],
  );
  return rows[0]?.oids ?? '';
}

/**
 * @param identities of the tables before the transaction that compared them took its snapshot, which sees no rows of a table that was swapped
 *   in later
 * @throws Error if a rebuild has swapped a table since
 */
export async function assertNotSwapped(
  client: Pick<Pool, 'query'>,
  projections: readonly Projection[],
  liveSchema: string,
  identities: string,
): Promise<void> {
  if ((await identitiesOf(client, projections, liveSchema)) !== identities)
    throw new Error('A rebuild swapped a table while it was compared. Run the verification again.');
}

/** Waits until the live read models have reached the position. @throws Error if one of them is faulted or does not get there in time */
async function waitForLive({ pool, signal }: ShadowParts, projections: readonly Projection[], position: bigint): Promise<void> {
  const deadline = Date.now() + CATCH_UP_TIMEOUT_MS;
  for (;;) {
    const known = await readCheckpoints(pool);
    const faulted = projections.find(({ name }) => known.get(name)?.fault != null);
    if (faulted) throw new Error(`The read model ${faulted.name} is faulted (see rupa projections status). Rebuild it first.`);
    if (projections.every(({ name }) => positionOf(known.get(name)) >= position)) return;
    if (Date.now() > deadline)
      throw new Error(
        `The live read models did not catch up with the log in ${CATCH_UP_TIMEOUT_MS / 1_000} s. Check that a projector is running.`,
      );
    await delay(POLL_MS);
    signal?.throwIfAborted();
  }
}

interface Side {
  readonly client: ClientBase;
  readonly schema: string;
}

interface Line {
  readonly line_key: string;
  /** The row without its MAC, as JSON. */
  readonly line_row: string;
}

async function compare(
  projection: ReadTable,
  live: Side,
  shadow: Side,
  { macs, signal }: Pick<ShadowParts, 'macs' | 'signal'>,
): Promise<VerificationResult> {
  const differences: Difference[] = [];
  const digest = createHash('sha256');
  let rows = 0;
  let differing = 0;
  const note = (difference: Difference): void => {
    differing += 1;
    if (differences.length < DIFFERENCES_SHOWN) differences.push(difference);
  };
  const [liveLines, shadowLines] = [lines(projection, live), lines(projection, shadow)];
  let [actual, expected] = [await next(liveLines), await next(shadowLines)];
  while (actual || expected) {
    signal?.throwIfAborted();
    const order = compareKeys(actual, expected);
    if (actual && order <= 0) {
      rows += 1;
      digest.update(actual.line_row);
    }
    if (actual && order < 0) note({ key: actual.line_key, kind: 'unexpected', columns: [] });
    else if (expected && order > 0) note({ key: expected.line_key, kind: 'missing', columns: [] });
    else if (actual && expected) {
      const columns = actual.line_row === expected.line_row ? [] : differingColumns(actual.line_row, expected.line_row);
      // A row that was written under an earlier master key has another MAC than the rebuilt one, and both hold.
      const isForged = projection.authenticated && !macs.holds(projection.table, actual as unknown as Authenticated);
      if (columns.length > 0 || isForged)
        note({ key: actual.line_key, kind: 'different', columns: isForged ? [...columns, 'mac'] : columns });
    }
    if (order <= 0) actual = await next(liveLines);
    if (order >= 0) expected = await next(shadowLines);
  }
  return { projection: projection.name, rows, differing, differences, digest: digest.digest('hex') };
}

/** Compares the keys by their bytes, like PostgreSQL's collation "C", in which the rows are sorted. */
function compareKeys(one: Line | undefined, other: Line | undefined): number {
  if (!one) return 1;
  return other ? Buffer.compare(Buffer.from(one.line_key), Buffer.from(other.line_key)) : -1;
}

async function next(rows: AsyncGenerator<Line>): Promise<Line | undefined> {
  const result = await rows.next();
  return result.done ? undefined : result.value;
}

/** Yields all rows in the order of their keys' text, with a cursor, so that memory holds one page. */
async function* lines(projection: ReadTable, { client, schema }: Side): AsyncGenerator<Line> {
  const columns = columnsOf(projection.table);
  const key = `json_build_array(${columns
    .filter(({ primary }) => primary)
    .map(({ name }) => `t.${name}`)
    .join(', ')})::text`;
  const compared = columns.filter(({ name }) => !projection.authenticated || name !== 'mac');
  const row = `json_build_object(${compared.map(({ name }) => `'${name}', t.${name}`).join(', ')})::text`;
  await client.query(
    `declare rows no scroll cursor for select ${key} as line_key, ${row} as line_row${projection.authenticated ? ', t.*' : ''} from ${schema}.${projection.name} t order by (${key}) collate "C"`,
  );
  for (;;) {
    const { rows } = await client.query<Line>(`fetch ${PAGE} from rows`);
    yield* rows;
    if (rows.length < PAGE) break;
  }
  await client.query('close rows');
}

function differingColumns(one: string, other: string): string[] {
  const [left, right] = [JSON.parse(one) as Record<string, unknown>, JSON.parse(other) as Record<string, unknown>];
  return Object.keys(left).filter((column) => JSON.stringify(left[column]) !== JSON.stringify(right[column]));
}
