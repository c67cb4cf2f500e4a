import { Counter, type Registry } from 'prom-client';

/** Counts the rows that this process has deleted because they were old. */
export class DeletedRowsMetrics {
  private readonly rows: Counter<'table'>;

  constructor(registry: Registry) {
    this.rows = new Counter({
      name: 'rupa_deleted_rows_total',
      help: 'Rows of operational tables that this process has deleted because they were older than their retention, by table',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  startAtZero(tables: readonly string[]): void {
    for (const table of tables) this.rows.inc({ table }, 0);
  }

  deleted(table: string, rows: number): void {
    this.rows.inc({ table }, rows);
  }
}
