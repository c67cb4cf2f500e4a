import { type Pool } from 'pg';
import { RepeatedWork } from '../repeated-work.js';
import { deleteOldRows, type OldRows, type OnDeleted } from './delete-old-rows.js';

const EVERY_MS = 10 * 60 * 1_000;

/** Deletes old rows every ten minutes. */
export class RepeatedDeletion {
  private readonly stopping = new AbortController();
  private readonly runs: RepeatedWork;

  /** @param onFailure is told why a run failed; the next one comes ten minutes later */
  constructor(
    private readonly pool: Pool,
    private readonly old: OldRows,
    private readonly onDeleted: OnDeleted,
    onFailure: (error: unknown) => void,
  ) {
    this.runs = new RepeatedWork(EVERY_MS, () => this.run(), onFailure);
  }

  start(): void {
    this.runs.start();
  }

  /** Waits for the statement under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.runs.stop();
  }

  async run(): Promise<void> {
    await deleteOldRows(this.pool, this.old, { signal: this.stopping.signal, onDeleted: this.onDeleted });
  }
}
