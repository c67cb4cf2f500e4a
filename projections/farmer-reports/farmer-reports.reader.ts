import {
  type ReportedGoods,
  type ReportedItem,
  type ReportedLoan,
  type ReportedPolicy,
} from '../../src/contexts/farmers/domain/reported-item.js';
import { columnsOf as columnsOfTable } from '../../src/platform/database/schema.js';
import { type Authenticated } from '../../src/platform/projecting/projection.js';
import { farmerReports, type FarmerReportsRow } from './farmer-reports.derivation.js';
import { policiesAt } from './reported-policies.js';

/** Items that partners reported about one farmer, the newest of each list. */
export interface ReportedItems {
  readonly loans: { readonly newest: readonly ReportedLoan[]; readonly total_kobo: number };
  readonly repayments: readonly ReportedItem[];
  readonly policies: { readonly newest: readonly ReportedPolicy[]; readonly total_kobo: number };
  readonly harvests: readonly ReportedGoods[];
  readonly input_purchases: readonly ReportedGoods[];
}

type List = 'loans' | 'repayments' | 'policies' | 'harvests' | 'input_purchases';

/** A row with the lists as PostgreSQL stores them, because most of them are not shown by a lookup, and their MAC covers the text. */
export type ReportsText = Authenticated & {
  readonly rupa_id: string;
  readonly outstanding_kobo: string;
} & { readonly [L in List]: string };

const PREFIX = 'reports_';
const COLUMNS = columnsOfTable(farmerReports.table).map(({ name, type }) => ({
  name,
  text: type === 'json' ? `r.${name}::text` : `r.${name}`,
}));

/**
 * SQL columns that {@link reportsIn} reads, and the join that they need, to a farmer whose Rupa ID is `f.rupa_id`. The offset makes PostgreSQL
 * look the farmer up: it expects a statement about one farmer to be about a hundred, for which it might read the table in the order of its key.
 */
export const REPORTS_COLUMNS = COLUMNS.map(({ name, text }) => `${text} as ${PREFIX}${name}`).join(', ');
export const REPORTS_JOIN = 'left join lateral (select * from read.farmer_reports t where t.rupa_id = f.rupa_id offset 0) r on true';

/** Returns the row in a row of a statement with {@link REPORTS_COLUMNS}; undefined if nothing was reported about the farmer. */
export function reportsIn(row: object): ReportsText | undefined {
  const values = row as Readonly<Record<string, unknown>>;
  const own = Object.fromEntries(COLUMNS.map(({ name }) => [name, values[PREFIX + name]]));
  return own.rupa_id === null ? undefined : (own as unknown as ReportsText);
}

/** Returns whether there is an item in a list. */
export function hasItem(reports: ReportsText | undefined, list: 'harvests' | 'input_purchases'): boolean {
  return reports !== undefined && reports[list] !== '[]';
}

/** Returns the items of a row, each list parsed when it is read. @param at ISO 8601, for the policies in force */
export function reportedItems(reports: ReportsText, at: string): ReportedItems {
  return {
    get loans() {
      return { newest: parsed(reports, 'loans'), total_kobo: Number(reports.outstanding_kobo) };
    },
    get repayments() {
      return parsed(reports, 'repayments');
    },
    get policies() {
      return policiesAt(parsed(reports, 'policies'), at);
    },
    get harvests() {
      return parsed(reports, 'harvests');
    },
    get input_purchases() {
      return parsed(reports, 'input_purchases');
    },
  };
}

function parsed<L extends List>(reports: ReportsText, list: L): FarmerReportsRow[L] {
  return JSON.parse(reports[list]) as FarmerReportsRow[L];
}
