import { type Pool } from 'pg';
import { type CheckpointLog } from '../checkpoints/checkpoint-log.js';
import { type KeptNote, type KnownNote } from '../checkpoints/kept-note.js';
import { rootsOf, tilesOf } from '../domain/tree-proofs.js';
import { readTiles } from './log-tile-table.js';

/**
 * Returns the newest known checkpoint if the log does not extend it, as far as that can be told without reading the log: from the tiles,
 * which the process that keeps the tree compares with the log after its start and once a day. Undefined while they do not tell.
 */
export async function knownLoss(pool: Pool, log: CheckpointLog, kept: KeptNote): Promise<KnownNote | undefined> {
  const newest = await kept.newest(log);
  if (!newest) return undefined;
  const range = [{ from: 0, to: newest.tree_size }];
  const [root] = rootsOf(range, await readTiles(pool, tilesOf(range))) ?? [];
  if (root) return root.toString('base64') === newest.root ? undefined : newest;
  // The tiles end earlier: the log does, or they are being written again. The log has the events of a checkpoint that it holds.
  return (await log.find(newest.number))?.note === newest.note ? undefined : newest;
}
