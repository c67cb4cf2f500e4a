import { KEY_END_TABLES } from '../../projections/api-key/api-key.reader.js';
import { type CheckedTable } from '../platform/projecting/read-table.js';
import { WEBHOOK_TABLES } from './webhooks/notifying/signed-rows.js';

/** The operational tables whose rows have MACs like those of read models: they are swept, counted and renewed alike. */
export const OPERATIONAL_TABLES: readonly CheckedTable[] = [...WEBHOOK_TABLES, ...KEY_END_TABLES];
