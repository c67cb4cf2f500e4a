import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkedRecord, checkedValue } from './checksums.js';
import { DamagedLog } from './damaged-log.js';
import { JOURNAL } from './journal.js';
import { LmdbFile } from './lmdb-file.js';
import { DATA_FILE, headIn, VALUE_BYTES } from './tables.js';
import { recordFacts } from '../serving/wire.js';

export interface TableChecks {
  /** Whether the events and the indexes are checked, too, and not only the structure of the file and the heads of the streams. */
  readonly contents: boolean;
  /** Receives each fault. Without it, the first one is thrown. */
  readonly onFault?: (fault: DamagedLog) => void;
  /** Receives the number of events that were checked, and how many there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

const PROGRESS_EVERY = 10_000;

/**
 * Checks LMDB's file before LMDB maps it into memory. Does nothing for a log without tables.
 * @throws DamagedLog if the structure of the file is damaged, or anything else without `onFault`
 */
export function checkTables(folder: string, checks: TableChecks): void {
  const path = join(folder, DATA_FILE);
  if (!existsSync(path) || statSync(path).size === 0) {
    // A start creates the journal after the tables.
    if (existsSync(join(folder, JOURNAL))) throw new DamagedLog(path, 'offset 0', 'the file is missing or empty');
    return;
  }
  const file = new LmdbFile(path);
  const report = (place: string, fault: string): void => {
    const damage = new DamagedLog(path, place, fault);
    if (!checks.onFault) throw damage;
    checks.onFault(damage);
  };
  try {
    checkHeads(file, report);
    checkIndex(file, 'revisions', checks.contents, report);
    checkIndex(file, 'ids', checks.contents, report);
    checkRecords(file, checks, report);
    file.checkFreePages();
  } finally {
    file.close();
  }
}

type Report = (place: string, fault: string) => void;

/** A head that is wrong or missing would hide events of its stream, so all heads are checked at each start. */
function checkHeads(file: LmdbFile, report: Report): void {
  let events = 0;
  file.entries('streams', (key, value, place) => {
    const head = checkedValue(key, value(), VALUE_BYTES.streams);
    if (head) events += headIn(head).lastRevision + 1;
    else report(place, `the checksum of the head of the stream ${key.toString()} does not match`);
  });
  for (const table of ['records', 'revisions'])
    if (file.count(table) !== events)
      report(`the table ${table}`, `it has ${file.count(table)} entries, and the heads of the streams say ${events}`);
}

function checkIndex(file: LmdbFile, table: 'revisions' | 'ids', contents: boolean, report: Report): void {
  file.entries(table, (key, value, place) => {
    if (contents && !checkedValue(key, value(), VALUE_BYTES[table])) report(place, `the checksum of an entry of ${table} does not match`);
  });
}

function checkRecords(file: LmdbFile, { contents, onProgress }: TableChecks, report: Report): void {
  let position = 0;
  file.entries('records', (_key, value, place) => {
    position += 1;
    if (contents && !isRecordOf(value(), position))
      report(`${place}, position ${position} of the log`, 'the checksum of the event does not match');
    if (position % PROGRESS_EVERY === 0) onProgress?.(position, file.count('records'));
  });
  onProgress?.(position, file.count('records'));
}

function isRecordOf(stored: Buffer, position: number): boolean {
  const record = checkedRecord(stored, position);
  if (!record) return false;
  try {
    return recordFacts(record).position === position;
  } catch {
    return false;
  }
}
