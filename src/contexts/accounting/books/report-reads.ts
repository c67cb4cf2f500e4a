import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { readSnapshot, type Snapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { type Projection } from '../../../platform/projecting/projection.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { LogIndex, type LogIndexReader } from '../../evidence/public.js';
import { assertBooksWhole } from './whole-books.js';

/** The part of a report that says which events of the log it contains. */
export interface AsOf {
  /** Index of the last event of the log that was read; null if it is not known. */
  readonly as_of_index: number | null;
}

/** Reads reports, each from one state of the read models, and says which state that was (finance, "Reports"). */
@Injectable()
export class ReportReads {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly logIndex: LogIndex,
  ) {}

  /**
   * Waits until the read models show what the log has now, and returns what `read` reads in one snapshot, to be disposed of when its lists were
   * read.
   * @throws ReadModelBehind if a read model does not show the log in time, EventSetAside if one leaves out an event that cannot be used,
   * RowForged if one has a row that was noticed to differ from the log
   */
  async from<T extends object>(
    readModels: readonly Projection[],
    read: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T & AsOf & AsyncDisposable> {
    await this.readModels.waitForLog(readModels, DOCUMENT_WAIT_MS);
    await assertBooksWhole(this.pool, readModels);
    const names = readModels.map(({ name }) => name);
    return await readSnapshot(this.pool, async (snapshot) => {
      // Before the lists of `read`, whose rows are fetched over the same connection.
      const as_of_index = await this.logIndex.at(snapshot, await computedUpTo(snapshot, names));
      return { ...(await read(snapshot)), as_of_index };
    });
  }

  /** Returns a reader of the indexes of a report's events, which may go on after the snapshot has ended. */
  indexes(): LogIndexReader {
    return this.logIndex.reader(this.pool);
  }
}
