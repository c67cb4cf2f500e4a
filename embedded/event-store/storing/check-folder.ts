import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { explainDiskFault } from '../../disk-faults.js';
import { lockFolder } from '../../folder-lock.js';
import { ACKNOWLEDGED, AcknowledgedMark } from './acknowledged.js';
import { checkTables } from './check-tables.js';
import { DamagedLog } from './damaged-log.js';
import { JOURNAL } from './journal.js';
import { recordsIn } from './journal-file.js';
import { recordFacts } from '../serving/wire.js';

export interface FolderCheck {
  /** Number of events that were found. */
  readonly events: number;
  /** A sentence for each fault. */
  readonly faults: readonly string[];
}

/**
 * Reads every page, every entry and every event of a log that no process uses, and changes nothing.
 * @param onProgress receives the number of events that were read, and how many there are
 * @throws Error if a process uses the folder
 */
export async function checkFolder(folder: string, onProgress: (done: number, total: number) => void): Promise<FolderCheck> {
  if (!existsSync(folder)) return { events: 0, faults: [] };
  const unlock = await lockFolder(folder).catch((error: unknown) => {
    throw explainDiskFault(error, folder);
  });
  const faults: string[] = [];
  let newest = 0;
  const collect = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof DamagedLog)) throw error;
      faults.push(error.message);
    }
  };
  try {
    collect(() => {
      checkTables(folder, {
        contents: true,
        onFault: ({ message }) => faults.push(message),
        onProgress: (done, total) => {
          newest = done;
          onProgress(done, total);
        },
      });
    });
    collect(() => {
      newest = checkJournal(folder, newest);
    });
    return { events: newest, faults };
  } finally {
    await unlock();
  }
}

/** @returns the position of the newest event */
function checkJournal(folder: string, inTables: number): number {
  const path = join(folder, JOURNAL);
  const isNew = (record: Buffer): boolean => recordFacts(record).position > inTables;
  const newest = recordsIn(path, { isNew, onTorn: () => undefined }).reduce(
    (position, record) => Math.max(position, recordFacts(record).position),
    inTables,
  );
  const mark = AcknowledgedMark.open(join(folder, ACKNOWLEDGED));
  mark.close();
  mark.refuseLossAfter(newest, path);
  return newest;
}
