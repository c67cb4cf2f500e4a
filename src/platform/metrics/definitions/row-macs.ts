import { Counter, type Registry } from 'prom-client';
import { type RowMacs } from '../../projecting/row-macs.js';

/** Counts the rows that this thread found not to be the projector's. */
export class RowMacMetrics {
  private readonly failures: Counter<'table'>;

  constructor(registry: Registry) {
    this.failures = new Counter({
      name: 'rupa_row_mac_failures_total',
      help: 'Times that this process found a row that decides and that the projector did not write, that is older than its stream, or that was deleted, by table',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  /** @param tables names of the tables whose rows have MACs */
  watch(macs: RowMacs, tables: readonly string[]): void {
    for (const table of tables) this.failures.inc({ table }, 0);
    macs.onForged((table) => {
      this.failures.inc({ table });
    });
  }
}
