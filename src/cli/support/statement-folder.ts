import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  LISTED_AMOUNTS,
  type ListedStatement,
  type Manifest,
  MANIFEST_FILE,
  manifestText,
  type RunHead,
} from '../../contexts/accounting/domain/statements/statement-manifest.js';
import { type StatementFile } from '../../contexts/accounting/statement-runs/statement-files.js';
import { isNaira } from '../../kernel/money.js';
import { writeToFile } from './write-output.js';

/** Lists the statements of a run that has not ended: its head, and then a line for each statement, as JSON. */
const UNFINISHED = `${MANIFEST_FILE}.part`;
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a part of its path is not a folder.',
  ENOTDIR: 'a part of its path is not a folder.',
  EACCES: 'this user may not write there.',
  EPERM: 'this user may not write there.',
  EROFS: 'that disk is read-only.',
  ENOSPC: 'the disk is full.',
  EDQUOT: 'the disk quota is used up.',
};
/** Files that {@link writeToFile} left behind when its process was killed. */
const LEFT_BEHIND = /^(.+)\.\d+\.tmp$/;

/**
 * A folder that the statements of a closed month are written into. What was written is listed at once, so that a run that was killed can be
 * continued: a statement is kept if its file still has the hash that the list says. Files that are not listed are never changed, except one
 * that has the name of a statement.
 */
export class StatementFolder {
  private constructor(
    private readonly path: string,
    private readonly listed: ReadonlyMap<string, ListedStatement>,
  ) {}

  /**
   * Opens a folder, which is created if it does not exist.
   * @throws Error with the next step if it cannot be written, or has the statements of another month, mode, close or format
   */
  static async open(path: string, head: RunHead): Promise<StatementFolder> {
    try {
      await mkdir(path, { recursive: true });
      await access(path, constants.W_OK | constants.X_OK);
    } catch (error) {
      const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
      throw reason === undefined
        ? error
        : new Error(`${path} cannot be written: ${reason} Name another folder with --out.`, { cause: error });
    }
    const listed = new Map([...(await inManifest(path, head)), ...(await inUnfinished(path, head))].map((each) => [each.file, each]));
    // A line that was cut off must not be continued by the next one.
    await writeToFile(join(path, UNFINISHED), lines([head, ...listed.values()]));
    return new StatementFolder(path, listed);
  }

  /** Returns how a statement is listed if its file is there and has the listed hash; otherwise undefined. */
  async kept(file: string): Promise<ListedStatement | undefined> {
    const listed = this.listed.get(file);
    if (!listed) return undefined;
    const bytes = await readFile(join(this.path, file)).catch(() => undefined);
    return bytes && createHash('sha256').update(bytes).digest('hex') === listed.sha256 ? listed : undefined;
  }

  /** Writes a statement's file, and then its line. @throws Error with the next step */
  async write({ listed, bytes }: StatementFile): Promise<void> {
    await writeToFile(join(this.path, listed.file), lonely(bytes));
    await appendFile(join(this.path, UNFINISHED), line(listed));
  }

  /** Writes the manifest of all statements, which ends the run. @throws Error with the next step */
  async finish(manifest: Manifest): Promise<void> {
    await writeToFile(join(this.path, MANIFEST_FILE), lonely(manifestText(manifest)));
    const own = new Set([MANIFEST_FILE, UNFINISHED, ...manifest.statements.map(({ file }) => file)]);
    const left = (await readdir(this.path)).filter((name) => own.has(LEFT_BEHIND.exec(name)?.[1] ?? ''));
    for (const name of [...left, UNFINISHED]) await rm(join(this.path, name), { force: true });
  }
}

async function inManifest(path: string, head: RunHead): Promise<readonly ListedStatement[]> {
  const text = await textOf(join(path, MANIFEST_FILE));
  if (text === undefined) return [];
  const { statements, totals: _, ...found } = (parsed(text) ?? {}) as Partial<Manifest>;
  refuseOther(path, MANIFEST_FILE, found, head);
  return (statements ?? []).filter(isListed);
}

async function inUnfinished(path: string, head: RunHead): Promise<readonly ListedStatement[]> {
  const text = await textOf(join(path, UNFINISHED));
  if (text === undefined) return [];
  const [first = '', ...rest] = text.split('\n');
  refuseOther(path, UNFINISHED, parsed(first), head);
  return rest.map(parsed).filter(isListed);
}

/** A folder has one manifest, which must not be replaced by that of other statements. */
function refuseOther(path: string, file: string, found: unknown, head: RunHead): void {
  if (isDeepStrictEqual(found, { ...head })) return;
  const { mode, period, format } = head;
  throw new Error(
    `${join(path, file)} does not belong to the ${format} statements of ${period} (${mode}). Name another folder with --out, or remove the file.`,
  );
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A line may have been cut off, and a manifest edited. */
function isListed(value: unknown): value is ListedStatement {
  if (typeof value !== 'object' || value === null) return false;
  const { file, sha256, bytes, ...rest } = value as Readonly<Record<string, unknown>>;
  return (
    typeof file === 'string' &&
    typeof sha256 === 'string' &&
    typeof bytes === 'number' &&
    LISTED_AMOUNTS.every((name) => isNaira(rest[name]))
  );
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

async function* lines(values: Iterable<object>): AsyncGenerator<string> {
  for (const value of values) yield await Promise.resolve(line(value));
}

async function* lonely<Piece>(piece: Piece): AsyncGenerator<Piece> {
  yield await Promise.resolve(piece);
}
