import { Counter, type Registry } from 'prom-client';

/** The operational tables whose old rows are deleted. */
const TABLES = ['ops.stored_response', 'ops.webhook_delivery', 'ops.notification', 'ops.projection_job'];

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
    for (const table of TABLES) this.rows.inc({ table }, 0);
  }

  deleted(table: string, rows: number): void {
    this.rows.inc({ table }, rows);
  }
}
