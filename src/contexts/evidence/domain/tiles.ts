import { type Hash, HASH_BYTES } from './merkle.js';

/** Hashes in a full tile: the tiles of https://c2sp.org/tlog-tiles have the height 8. */
export const TILE_WIDTH = 256;
/** The highest level that the tiles of a tree with up to 2^48 leaves have. */
const MAX_LEVEL = 5;
const DIGITS = 3;

/** The place of a tile. Each of its hashes is the root over 256^level leaves. */
export interface TilePlace {
  readonly level: number;
  readonly index: number;
}

/** A tile, with the number of hashes that it has. */
export interface TileAddress extends TilePlace {
  /** 1 to 256. */
  readonly width: number;
}

/** Returns the number of hashes that a tree of that size has in a tile; 0 if it has no such tile. */
export function widthIn(treeSize: number, { level, index }: TilePlace): number {
  const hashes = Math.floor(treeSize / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** Returns the tiles at the edge of a tree that are not full and not empty, lowest first. */
export function edgeTiles(treeSize: number): TileAddress[] {
  const found: TileAddress[] = [];
  for (let level = 0, hashes = treeSize; hashes > 0; level += 1, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const width = hashes % TILE_WIDTH;
    if (width > 0) found.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return found;
}

const ADDRESS = /^(?<level>[0-5])\/(?<index>(?:x\d{3}\/)*\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/;

/** Parses an address such as `1/x001/x234/067` or `0/003.p/12`. Returns undefined if it is none, or not the only form of its numbers. */
export function parseTileAddress(path: string): TileAddress | undefined {
  const { level, index = '', width } = ADDRESS.exec(path)?.groups ?? {};
  if (level === undefined) return undefined;
  const address = {
    level: Number(level),
    index: Number(index.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  const isPossible = Number.isSafeInteger(address.index) && (width === undefined || address.width < TILE_WIDTH);
  return isPossible && tileAddressText(address) === path ? address : undefined;
}

/** Returns the address of a tile below `/log/tile/`. */
export function tileAddressText({ level, index, width }: TileAddress): string {
  if (level > MAX_LEVEL) throw new RangeError(`A tree of the log has no tiles at level ${level}.`);
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / DIGITS) * DIGITS, '0');
  const groups = padded.match(/.{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `${level}/${path}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

/** Splits the bytes of a tile into its hashes. */
export function hashesIn(tile: Buffer): Hash[] {
  return Array.from({ length: Math.floor(tile.length / HASH_BYTES) }, (_, at) => tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}
