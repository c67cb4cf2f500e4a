import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedLog } from './damaged-log.js';

/** A tree of LMDB's file: one of its tables, or the directory of its tables. */
interface Tree {
  readonly depth: number;
  readonly entries: number;
  readonly root: number;
}

/** Receives an entry of a table. `value` reads the value from the file. */
export type OnEntry = (key: Buffer, value: () => Buffer, place: string) => void;

const MAGIC = 0xbeefc0de;
const VERSION = 2;
const HEADER_BYTES = 24;
const NODE_BYTES = 8;
const [BRANCH, LEAF, OVERFLOW] = [1, 2, 4];
const [BIG, SUBTREE] = [1, 2];
/** Offsets within a meta page. */
const AT = {
  magic: 24,
  version: 28,
  static: [32, 48],
  pageBytes: 48,
  freePages: 48,
  mainTree: 96,
  lastPage: 144,
  transaction: 152,
} as const;
const META_BYTES = 160;
const NO_ROOT = 0xffff_ffff_ffff_ffffn;
const FREE_BYTES_MAX = 1024 ** 3;
const KEY_BYTES_MAX = 1_024 + 64;

/**
 * Reads LMDB's data file page by page with ordinary reads and checks its structure. LMDB itself maps the file into memory and trusts it:
 * a damaged page can end the process with a signal, and a damaged key can hide an entry. The store must not be writing meanwhile.
 */
export class LmdbFile {
  private readonly file: number;
  private readonly pageBytes: number;
  private readonly lastPage: number;
  private readonly transaction: bigint;
  private readonly used: Uint8Array;
  private readonly freeLists: { readonly list: Buffer; readonly place: string }[] = [];
  private readonly tables = new Map<string, Tree>();

  /** Opens the file, checks its size and reads the directory of its tables. @throws DamagedLog */
  constructor(readonly path: string) {
    this.file = openSync(path, 'r');
    try {
      const meta = this.newestMeta();
      this.pageBytes = meta.readUInt32LE(AT.pageBytes);
      this.lastPage = Number(meta.readBigUInt64LE(AT.lastPage));
      this.transaction = meta.readBigUInt64LE(AT.transaction);
      const size = fstatSync(this.file).size;
      const needed = (this.lastPage + 1) * this.pageBytes;
      // The last pages may be free and never written, so a somewhat shorter file can be whole.
      if (needed - size > FREE_BYTES_MAX)
        throw new DamagedLog(path, `offset ${size}`, `the file ends there, and its header says ${needed} bytes`);
      this.used = new Uint8Array(Math.min(this.lastPage + 1, Math.ceil(size / this.pageBytes)));
      const main = this.treeAt(meta, AT.mainTree, 'the header');
      const withoutNul = (key: Buffer): string => key.toString('latin1').replace(/\0$/, '');
      this.walk(main, (key, value, place) => this.tables.set(withoutNul(key), this.treeAt(value(), 0, place)), SUBTREE);
      const collect: OnEntry = (_key, value, place) => this.freeLists.push({ list: value(), place });
      this.walk(this.treeAt(meta, AT.freePages, 'the header'), collect, 0, false);
      // Every transaction writes a new root of the directory.
      if (main.depth > 0 && this.page(main.root).readBigUInt64LE(8) !== this.transaction)
        throw new DamagedLog(path, 'offset 0', `the header is not the one of transaction ${this.transaction}`);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Number of entries of a table. */
  count(table: string): number {
    return this.tables.get(table)?.entries ?? 0;
  }

  /** Walks a table in the order of its keys. @throws DamagedLog */
  entries(table: string, onEntry: OnEntry): void {
    const tree = this.tables.get(table);
    if (tree) this.walk(tree, onEntry, 0);
  }

  /**
   * Checks, after all tables were walked, that LMDB would not overwrite a page of a table. A list of free pages begins with its length; a
   * negative number is the length of the block that the next number begins, and 0 is an empty place.
   * @throws DamagedLog
   */
  checkFreePages(): void {
    for (const { list, place } of this.freeLists) {
      const numbers = Array.from({ length: Math.floor(list.length / 8) }, (_, index) => Number(list.readBigInt64LE(index * 8)));
      const [length = -1, ...pages] = numbers;
      const isValid = (page: number, index: number): boolean => {
        const last = page - 1 + Math.max(1, -(pages[index - 1] ?? 0));
        return page > 1 && last <= this.lastPage && !this.used.subarray(page, last + 1).includes(1);
      };
      if (
        length < 0 ||
        length > pages.length ||
        !pages.slice(0, length).every((page, index) => (page <= 0 ? -page <= this.lastPage : isValid(page, index)))
      )
        throw new DamagedLog(this.path, place, 'the list of free pages there is not valid');
    }
  }

  close(): void {
    closeSync(this.file);
  }

  /** Returns the newer of the two meta pages, which consecutive transactions write in turn. */
  private newestMeta(): Buffer {
    const first = this.read(0, META_BYTES);
    const pageBytes = first.readUInt32LE(AT.pageBytes);
    const known = [4_096, 8_192, 16_384, 32_768, 65_536];
    const metas = [first, this.read(known.includes(pageBytes) ? pageBytes : 4_096, META_BYTES)] as const;
    metas.forEach((meta, index) => {
      const place = `offset ${index * pageBytes}`;
      if (meta.readUInt32LE(AT.magic) !== MAGIC || meta.readUInt32LE(AT.version) !== VERSION)
        throw new DamagedLog(this.path, place, 'that is not the header of an LMDB file');
      const { static: fixed } = AT;
      if (
        !known.includes(pageBytes) ||
        !meta.subarray(...fixed).equals(first.subarray(...fixed)) ||
        meta.readUInt32LE(AT.pageBytes) !== pageBytes
      )
        throw new DamagedLog(this.path, place, 'the two headers of the file contradict each other');
    });
    const numbers = metas.map((meta) => meta.readBigUInt64LE(AT.transaction)) as [bigint, bigint];
    const distance = numbers[1] - numbers[0];
    const isNew = numbers[0] === 0n && distance === 0n;
    if (!isNew && (distance * distance !== 1n || numbers[0] % 2n !== 0n))
      throw new DamagedLog(this.path, 'offset 0', `its headers are of the transactions ${numbers.join(' and ')}`);
    return distance > 0n ? metas[1] : metas[0];
  }

  private treeAt(bytes: Buffer, at: number, place: string): Tree {
    if (bytes.length < at + 48) throw new DamagedLog(this.path, place, 'an entry of the directory of tables is too short');
    const root = bytes.readBigUInt64LE(at + 40);
    const depth = bytes.readUInt16LE(at + 6);
    if ((root === NO_ROOT) !== (depth === 0) || depth > 32) throw new DamagedLog(this.path, place, 'a table has no valid root');
    return { depth, entries: Number(bytes.readBigUInt64LE(at + 32)), root: root === NO_ROOT ? 0 : Number(root) };
  }

  /** @param flags flags that every entry of the tree must have. @param isSorted false for keys that are not sorted by their bytes */
  private walk(tree: Tree, onEntry: OnEntry, flags: number, isSorted = true): void {
    if (tree.depth === 0) return;
    const order = isSorted ? new KeyOrder() : undefined;
    const count = this.descend(tree.root, tree.depth, order, flags, onEntry);
    if (count !== tree.entries)
      throw new DamagedLog(this.path, this.placeOf(tree.root), `a table has ${count} entries, and its header says ${tree.entries}`);
  }

  private descend(number: number, depth: number, order: KeyOrder | undefined, flags: number, onEntry: OnEntry): number {
    const page = this.treePage(number, depth === 1 ? LEAF : BRANCH);
    const nodes = page.readUInt16LE(20) >> 1;
    let count = 0;
    for (let index = 0; index < nodes; index += 1) {
      const at = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * index);
      const keyFrom = at + NODE_BYTES;
      const keyTo = keyFrom + (keyFrom <= page.length ? page.readUInt16LE(at + 6) : 0);
      if (at < HEADER_BYTES + page.readUInt16LE(22) || keyFrom > page.length || keyTo > page.length || keyTo - keyFrom > KEY_BYTES_MAX)
        throw this.damaged(number, `entry ${index} of the page lies outside of it`);
      const isLowest = depth > 1 && index === 0;
      if (!isLowest && order?.accepts(page, keyFrom, keyTo, depth > 1) === false)
        throw this.damaged(number, `entry ${index} of the page is out of order`);
      if (depth > 1) {
        const child = page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32;
        count += this.descend(child, depth - 1, order, flags, onEntry);
      } else {
        count += 1;
        this.leafEntry({ page, number, at, keyFrom, keyTo }, flags, onEntry);
      }
    }
    return count;
  }

  private leafEntry(
    node: { page: Buffer; number: number; at: number; keyFrom: number; keyTo: number },
    expected: number,
    onEntry: OnEntry,
  ): void {
    const { page, number, at, keyFrom, keyTo } = node;
    const size = page.readUInt32LE(at);
    const flags = page.readUInt16LE(at + 4);
    const isBig = flags === BIG && expected === 0;
    const dataTo = keyTo + (isBig ? HEADER_BYTES : size);
    if ((!isBig && flags !== expected) || dataTo > page.length) throw this.damaged(number, 'an entry of the page has an impossible size');
    const key = page.subarray(keyFrom, keyTo);
    if (!isBig) {
      onEntry(key, () => page.subarray(keyTo, dataTo), this.placeOf(number));
      return;
    }
    const first = Number(page.readBigUInt64LE(keyTo));
    // LMDB keeps all pages of a large value that a smaller one replaces in the same transaction, so there may be more than the value needs.
    const pages = Number(page.readBigUInt64LE(keyTo + 16));
    if (pages * this.pageBytes < HEADER_BYTES + size) throw this.damaged(number, 'an entry of the page has an impossible size');
    this.claim(first, pages, number);
    const header = this.read(first * this.pageBytes, HEADER_BYTES);
    if (Number(header.readBigUInt64LE(0)) !== first || header.readUInt16LE(18) !== OVERFLOW || header.readUInt32LE(20) !== pages)
      throw this.damaged(first, 'the page is not the one that a large entry refers to');
    onEntry(key, () => this.read(first * this.pageBytes + HEADER_BYTES, size), this.placeOf(first));
  }

  private treePage(number: number, kind: number): Buffer {
    this.claim(number, 1, number);
    const page = this.page(number);
    const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
    if (Number(page.readBigUInt64LE(0)) !== number || page.readUInt16LE(18) !== kind)
      throw this.damaged(number, 'the page is not the one that its table refers to');
    if (
      page.readBigUInt64LE(8) > this.transaction ||
      lower % 2 !== 0 ||
      lower < 2 ||
      lower > upper ||
      upper > this.pageBytes - HEADER_BYTES
    )
      throw this.damaged(number, 'the header of the page is not valid');
    return page;
  }

  /** Each page belongs to one table only, and lies within the file. */
  private claim(first: number, pages: number, from: number): void {
    for (let number = first; number < first + pages; number += 1) {
      if (number < 2 || number >= this.used.length || this.used[number] === 1)
        throw this.damaged(from, `it refers to page ${number}, which is beyond the end of the file or belongs to something else`);
      this.used[number] = 1;
    }
  }

  private page(number: number): Buffer {
    return this.read(number * this.pageBytes, this.pageBytes);
  }

  private read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const read = readSync(this.file, bytes, done, length - done, at + done);
      if (read === 0) throw new DamagedLog(this.path, `offset ${at + done}`, 'the file ends there');
      done += read;
    }
    return bytes;
  }

  private damaged(page: number, fault: string): DamagedLog {
    return new DamagedLog(this.path, this.placeOf(page), fault);
  }

  private placeOf(page: number): string {
    return `offset ${page * this.pageBytes}`;
  }
}

/** Checks that keys ascend. The key of a branch may equal the first key below it. */
class KeyOrder {
  private page: Buffer | undefined;
  private from = 0;
  private to = 0;
  private isBranch = false;

  accepts(page: Buffer, from: number, to: number, isBranch: boolean): boolean {
    const order = this.page ? page.compare(this.page, this.from, this.to, from, to) : 1;
    const isFine = order > 0 || (order === 0 && this.isBranch);
    [this.page, this.from, this.to, this.isBranch] = [page, from, to, isBranch];
    return isFine;
  }
}
