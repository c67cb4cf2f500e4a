import { type Pool } from 'pg';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type TreeHead } from '../domain/tree-head.js';
import { edgeTiles, TILE_WIDTH } from '../domain/tiles.js';
import { TreeEdge } from '../domain/tree-edge.js';
import { firstPositionOf, readTiles } from './log-tile-table.js';
import { LogTree } from './log-tree.js';

/**
 * Returns the tree of a checkpoint without reading the log up to it: from the tiles, and from those of its events that are in its last tile
 * of leaves. Undefined if they do not lead to the checkpoint's root. That root vouches for the tiles, and for where in the log the tree ends,
 * so the caller must know that this service signed it.
 */
export async function treeAt(pool: Pool, eventStore: EventStore, { tree_size, root }: TreeHead): Promise<LogTree | undefined> {
  if (tree_size === 0) return undefined;
  const tile = Math.floor((tree_size - 1) / TILE_WIDTH);
  const full = tile * TILE_WIDTH;
  const before = TreeEdge.of(full, await readTiles(pool, edgeTiles(full)));
  const first = await firstPositionOf(pool, tile);
  if (!before || first === undefined) return undefined;
  const tree = await LogTree.from(eventStore, { before, width: tree_size - full, first });
  return tree.size === tree_size && tree.root === root ? tree : undefined;
}
