import { type ClientBase, type Pool } from 'pg';
import { type Snapshot } from '../../../platform/database/held-rows.js';
import { inTransaction } from '../../../platform/database/pool.js';
import { rowsOf, textStatement } from '../../../platform/database/typed-sql.js';
import { type Checkpoint, ensureReaction, moveCheckpoints, takeFences, positionOf } from '../../../platform/projecting/checkpoints.js';
import { type Hash } from '../domain/merkle.js';
import { hashesIn, TILE_WIDTH, type TilePlace } from '../domain/tiles.js';
import { type Tile } from '../domain/tree-edge.js';
import { type Growth, type LogTile } from './log-tree.js';

/** The name of the checkpoint up to which the tiles reach. */
export const LOG_TREE = 'log_tree';
const VERSION = 1;
/** Milliseconds that a transaction may be idle or wait for a lock, so that a leader suspended in the middle of it loses its locks. */
const TIMEOUT_MS = 10_000;
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${TIMEOUT_MS}; set local lock_timeout = ${TIMEOUT_MS}`;

/** A row of ops.log_tile: a tile of the tree of the log. */
interface LogTileRow {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
  /** Position of the first event in $all; null unless the tile is one of leaves. */
  readonly first_position: string | null;
}

type TileRow = Omit<LogTileRow, 'first_position'>;

/** Changes no row that has the same content, so that the rows of a log that is read again are only compared. */
const WRITE = `insert into ops.log_tile as t (level, index, hashes, first_position)
  select level, index, decode(hashes, 'base64'), first_position
  from json_to_recordset($1) as r(level smallint, index bigint, hashes text, first_position numeric)
  on conflict (level, index) do update set hashes = excluded.hashes, first_position = excluded.first_position
  where (t.hashes, t.first_position) is distinct from (excluded.hashes, excluded.first_position)`;

const REMOVE_BEYOND = 'delete from ops.log_tile where index * 256 >= floor($1::numeric / 256::numeric ^ level)';

const READ = `select t.level, t.index, t.hashes from json_to_recordset($1) as r(level smallint, index bigint)
  join ops.log_tile t on t.level = r.level and t.index = r.index`;

const AT = `select level, index, hashes from ops.log_tile where level = 0 and first_position <= $1 order by first_position desc limit 1`;

const FIRST = 'select first_position from ops.log_tile where level = 0 and index = $1';

const END = `select least(position, $1::numeric) as position from ops.checkpoint where projection = '${LOG_TREE}' and position is not null`;

/** Reads the tiles of the tree of the log. */
export async function readTiles(pool: Pick<Pool, 'query'>, places: readonly TilePlace[]): Promise<Tile[]> {
  const { rows } = await pool.query<TileRow>(READ, [JSON.stringify(places)]);
  return rows.map(tileOf);
}

/** Returns the index of the leaf with this hash, of the event at this position; undefined if the tiles do not have it. */
export async function leafIndex(client: Pick<Pool, 'query'> | Snapshot, position: bigint, leaf: Hash): Promise<number | undefined> {
  const [row] = await rowsOf(client, textStatement<TileRow>(AT, [position.toString()]));
  const at = row ? hashesIn(row.hashes).findIndex((hash) => hash.equals(leaf)) : -1;
  return row && at >= 0 ? row.index * TILE_WIDTH + at : undefined;
}

/** Returns the position of the first event of a tile of leaves; undefined if it is not stored. */
export async function firstPositionOf(pool: Pick<Pool, 'query'>, index: number): Promise<bigint | undefined> {
  const [row] = await rowsOf(pool, textStatement<Pick<LogTileRow, 'first_position'>>(FIRST, [index]));
  return row?.first_position == null ? undefined : BigInt(row.first_position);
}

/** Returns this position, or that of the last event in the tiles if that is lower; undefined if there are no tiles. */
export async function withinTiles(client: Pick<Pool, 'query'> | Snapshot, position: bigint): Promise<bigint | undefined> {
  const [row] = await rowsOf(client, textStatement<Pick<Checkpoint, 'position'>>(END, [position.toString()]));
  return row?.position == null ? undefined : BigInt(row.position);
}

function tileOf({ level, index, hashes }: TileRow): Tile {
  return { level, index, hashes: hashesIn(hashes) };
}

/**
 * Writes the tiles of the tree, together with the position up to which they reach. Tiles below that position, which exist already, are
 * compared with what the log says, and replaced if they differ.
 */
export class LogTileWriter {
  private checkpoint: Checkpoint | undefined;

  /** @param onRepaired called with the number of rows that were not what the log says */
  constructor(
    private readonly pool: Pool,
    private readonly onRepaired: (rows: number) => void = () => undefined,
  ) {}

  /** Reads the position again, after another process has moved it. */
  async begin(): Promise<void> {
    this.checkpoint = await inTransaction(this.pool, (client) => ensureReaction(client, LOG_TREE, VERSION));
  }

  /** @throws FencedOff if another process has moved the position since {@link begin} */
  async write({ filled, open, last }: Growth): Promise<void> {
    const checkpoint = await this.current();
    if (last.position <= positionOf(checkpoint)) {
      // A tile that is full stays as it is, so the fence is not needed.
      if (filled.length > 0) this.repaired(await writeTiles(this.pool, filled));
      return;
    }
    await inTransaction(
      this.pool,
      async (client) => {
        await takeFences(client, [checkpoint]);
        await writeTiles(client, [...filled, ...open]);
        await moveCheckpoints(client, [LOG_TREE], last.position, last);
      },
      BEGIN,
    );
    this.checkpoint = { ...checkpoint, position: last.position.toString() };
  }

  /**
   * Compares the tiles at the edge, too, and removes those beyond it, which a log that was restored to an earlier state does not have.
   * Does nothing unless the tree ends where the tiles do.
   */
  async compareEdge(open: readonly LogTile[], size: number, end: bigint): Promise<void> {
    const checkpoint = await this.current();
    if (positionOf(checkpoint) !== end) return;
    await inTransaction(
      this.pool,
      async (client) => {
        await takeFences(client, [checkpoint]);
        const written = await writeTiles(client, open);
        const { rowCount } = await client.query(REMOVE_BEYOND, [size]);
        this.repaired(written + (rowCount ?? 0));
      },
      BEGIN,
    );
  }

  private async current(): Promise<Checkpoint> {
    if (!this.checkpoint) await this.begin();
    return this.checkpoint as Checkpoint;
  }

  private repaired(rows: number): void {
    if (rows > 0) this.onRepaired(rows);
  }
}

/** Returns the number of rows that were added or changed. */
async function writeTiles(client: Pick<ClientBase, 'query'>, tiles: readonly LogTile[]): Promise<number> {
  const rows = tiles.map(({ level, index, hashes, first_position }) => ({
    level,
    index,
    hashes: Buffer.concat(hashes as Hash[]).toString('base64'),
    first_position: first_position?.toString() ?? null,
  }));
  const { rowCount } = await client.query({ name: 'write-log-tiles', text: WRITE, values: [JSON.stringify(rows)] });
  return rowCount ?? 0;
}
