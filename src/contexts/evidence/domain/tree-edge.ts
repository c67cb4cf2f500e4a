import { type Hash, rootOf } from './merkle.js';
import { edgeTiles, hashesIn, TILE_WIDTH, type TilePlace } from './tiles.js';

/** A tile with its hashes, fewer than 256 at the right edge of the tree. */
export interface Tile extends TilePlace {
  readonly hashes: readonly Hash[];
}

/** A tile at the edge, with its hashes in one piece: 256 small buffers take several times their bytes. */
interface OpenTile extends TilePlace {
  readonly bytes: Buffer;
}

/**
 * A tree that grows at its right edge. It holds only the tiles that are not full, so its memory does not grow with the tree. It is a value:
 * growing it returns another one.
 */
export class TreeEdge {
  /** @param open the tile at the edge of each level, lowest first; a tile without hashes begins with the next leaf */
  private constructor(
    readonly size: number,
    private readonly open: readonly OpenTile[],
  ) {}

  static readonly EMPTY = new TreeEdge(0, []);

  /**
   * Returns the tree of a number of leaves. The caller compares the root.
   * @param tiles the tiles at its edge (edgeTiles), which may have further hashes; undefined is returned if one is missing or shorter
   */
  static of(size: number, tiles: readonly Tile[]): TreeEdge | undefined {
    const open: OpenTile[] = [];
    for (let { level, hashes } = { level: 0, hashes: size }; hashes > 0; level += 1, hashes = Math.floor(hashes / TILE_WIDTH))
      open.push({ level, index: Math.floor(hashes / TILE_WIDTH), bytes: Buffer.alloc(0) });
    for (const { level, index, width } of edgeTiles(size)) {
      const tile = tiles.find((each) => each.level === level && each.index === index);
      if (!tile || tile.hashes.length < width) return undefined;
      open[level] = { level, index, bytes: Buffer.concat(tile.hashes.slice(0, width)) };
    }
    return new TreeEdge(size, open);
  }

  /** The tiles that are not full and not empty. */
  get tiles(): readonly Tile[] {
    return this.open.map(splitTile).filter(({ hashes }) => hashes.length > 0);
  }

  /** Returns the tree with more leaves, and the tiles that they filled. */
  with(leaves: readonly Hash[]): { readonly tree: TreeEdge; readonly filled: readonly Tile[] } {
    const open = this.open.map(splitTile);
    const filled: Tile[] = [];
    const add = (level: number, hash: Hash): void => {
      const tile = (open[level] ??= { level, index: 0, hashes: [] });
      tile.hashes.push(hash);
      if (tile.hashes.length < TILE_WIDTH) return;
      filled.push(tile);
      open[level] = { level, index: tile.index + 1, hashes: [] };
      add(level + 1, rootOf(tile.hashes));
    };
    for (const leaf of leaves) add(0, leaf);
    const joined = open.map(({ level, index, hashes }) => ({ level, index, bytes: Buffer.concat(hashes) }));
    return { tree: new TreeEdge(this.size + leaves.length, joined), filled };
  }

  /** Returns the root of the tree (RFC 6962, section 2.1). */
  root(): Hash {
    // The hashes of a level are roots over equally many leaves, and the root over the rest of the tree follows them.
    const below = this.tiles.reduce<readonly Hash[]>((rest, { hashes }) => [rootOf([...hashes, ...rest])], []);
    return rootOf(below);
  }
}

function splitTile({ level, index, bytes }: OpenTile): TilePlace & { readonly hashes: Hash[] } {
  return { level, index, hashes: hashesIn(bytes) };
}
