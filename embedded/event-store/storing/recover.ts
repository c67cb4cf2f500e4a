import { join } from 'node:path';
import { ACKNOWLEDGED, AcknowledgedMark } from './acknowledged.js';
import { JOURNAL } from './journal.js';
import { recordsIn } from './journal-file.js';
import { type Tables } from './tables.js';
import { Tail } from './tail.js';
import { recordFacts } from '../serving/wire.js';

/** Number of the newest events that a start reads and checks. */
const CHECKED_AT_START = 5_000;

/**
 * Moves the events of the journal to the tables, and checks that no acknowledged event is missing and that the newest ones are whole.
 * @param notice receives a sentence for the operator
 * @throws DamagedLog, or Error when journal and tables do not belong to the same log
 */
export function recover(path: string, tables: Tables, notice: (text: string) => void): { tail: Tail; mark: AcknowledgedMark } {
  const tail = new Tail(tables);
  const file = join(path, JOURNAL);
  const isNew = (record: Buffer): boolean => recordFacts(record).position > tables.newestPosition();
  let torn: number | undefined;
  const onTorn = (offset: number): void => {
    torn = offset;
  };
  for (const record of recordsIn(file, { isNew, onTorn })) {
    const { stream, revision, isTombstone, id, position } = recordFacts(record);
    const newest = tail.newestPosition;
    const isNext = position === newest + 1 && (isTombstone || revision === tail.lastRevision(stream) + 1);
    if (isNext) tail.push(stream, id, record, isTombstone);
    else if (position > newest || !tail.recordAt(position).equals(record))
      throw new Error(
        `${file} and the tables in ${path} do not belong to the same log: they differ at position ${position}, and the tables end at ${newest}.`,
      );
  }
  const mark = AcknowledgedMark.open(join(path, ACKNOWLEDGED));
  mark.refuseLossAfter(tail.newestPosition, file, torn === undefined ? undefined : `offset ${torn}`);
  if (torn !== undefined) notice(`${file} ends with an incomplete entry at offset ${torn}. It was never acknowledged and is dropped.`);
  tail.flush();
  for (let position = Math.max(1, tail.newestPosition - CHECKED_AT_START + 1); position <= tail.newestPosition; position += 1)
    tail.recordAt(position);
  return { tail, mark };
}
