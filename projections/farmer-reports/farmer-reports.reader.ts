import {
  type ReportedGoods,
  type ReportedItem,
  type ReportedLoan,
  type ReportedPolicy,
} from '../../src/contexts/farmers/domain/reported-item.js';
import { columnsOf as columnsOfTable } from '../../src/platform/database/schema.js';
import { columnsOf } from '../../src/platform/database/typed-sql.js';
import { type Authenticated } from '../../src/platform/projecting/projection.js';
import { farmerReports, type FarmerReportsRow } from './farmer-reports.derivation.js';
import { newestOf } from './reported-lists.js';
import { policiesAt } from './reported-policies.js';
import { type Pool } from 'pg';
import { type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { handledEvents } from '../../src/platform/projecting/applying/fold.js';
import { reportsAbout } from '../contribution/contribution.reader.js';
import { contributionProjection } from '../contribution/contribution.projection.js';
import { type ContributionRow } from '../contribution/contribution-table.js';

interface Summed<Item extends ReportedItem> {
  readonly newest: readonly Item[];
  readonly total_kobo: number;
}

/** Items that partners reported about one farmer, the newest of each list. */
export interface ReportedItems {
  readonly loans: Summed<ReportedLoan>;
  readonly repayments: readonly ReportedItem[];
  readonly policies: Summed<ReportedPolicy>;
  readonly harvests: readonly ReportedGoods[];
  readonly input_purchases: readonly ReportedGoods[];
}

type List = 'loans' | 'repayments' | 'policies' | 'harvests' | 'input_purchases';

/** A row with the lists as PostgreSQL stores them, because most of them are not shown by a lookup, and their MAC covers the text. */
export type ReportsText = Authenticated & {
  readonly subject: string;
  readonly outstanding_kobo: string;
} & { readonly [L in List]: string };

const t = columnsOf<FarmerReportsRow>('t');
const PREFIX = 'reports_';
const COLUMNS = columnsOfTable(farmerReports.table).map(({ name, type }) => ({
  name,
  text: type === 'json' ? `r.${name}::text` : `r.${name}`,
}));

/**
 * SQL columns that {@link reportsIn} reads, and the join that they need, to the subject that an expression names. The offset makes PostgreSQL
 * look the subject up: it expects a statement about one farmer to be about a hundred, for which it might read the table in the order of its key.
 */
export const REPORTS_COLUMNS = COLUMNS.map(({ name, text }) => `${text} as ${PREFIX}${name}`).join(', ');
export const reportsJoin = (subject: string): string =>
  `left join lateral (select * from read.farmer_reports t where ${t.subject} = ${subject} offset 0) r on true`;

/** Returns the row in a row of a statement with {@link REPORTS_COLUMNS}; undefined if nothing was reported. */
export function reportsIn(row: object): ReportsText | undefined {
  const values = row as Readonly<Record<string, unknown>>;
  if (values[`${PREFIX}subject`] === null) return undefined;
  return Object.fromEntries(COLUMNS.map(({ name }) => [name, values[PREFIX + name]])) as unknown as ReportsText;
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

/** Returns items that are shown whatever was reported, together with those that were. */
export function withItems(items: ReportedItems, reported: ReportedItems | undefined): ReportedItems {
  if (!reported) return items;
  const both = <Item extends ReportedItem>(list: readonly Item[], others: readonly Item[]): readonly Item[] =>
    newestOf([...list, ...others]);
  const summed = <Item extends ReportedItem>(one: Summed<Item>, other: Summed<Item>): Summed<Item> => ({
    newest: both(one.newest, other.newest),
    total_kobo: one.total_kobo + other.total_kobo,
  });
  return {
    loans: summed(items.loans, reported.loans),
    repayments: both(items.repayments, reported.repayments),
    policies: summed(items.policies, reported.policies),
    harvests: both(items.harvests, reported.harvests),
    input_purchases: both(items.input_purchases, reported.input_purchases),
  };
}

/**
 * Returns the row of a subject as the projector will make it, from the reports in the table and from events of contributions that it may not
 * show yet; undefined if there are no reports. It takes the longer the more was reported, so it is for a stopped projector.
 * @param events of the contributions that may be missing, each from its beginning
 * @throws RowForged
 */
export async function reportsWith(
  pool: Pool,
  macs: RowMacs,
  subject: string,
  events: readonly RecordedEvent[],
): Promise<ReportsText | undefined> {
  const { handled } = handledEvents(contributionProjection, events);
  const ids = handled.flatMap(({ keys }) => keys.map(([, key]) => Number(key.contribution_id)));
  const rows = new Map((await reportsAbout(pool, macs, subject, ids)).map((row) => [row.contribution_id, row]));
  for (const { event, handler, keys } of handled) {
    for (const [, key] of keys) {
      const id = Number(key.contribution_id);
      const row = rows.get(id) ?? null;
      if (row && BigInt(row.event_revision) >= event.revision) continue;
      const after = handler.apply(row, event, key, [row]) as ContributionRow | null;
      if (after) rows.set(id, after);
    }
  }
  const own = [...rows.values()].filter((row) => row.subject === subject);
  return own.length === 0 ? undefined : textOf(farmerReports.derive(own) as FarmerReportsRow);
}

function textOf({ subject, outstanding_kobo, loans, repayments, policies, harvests, input_purchases }: FarmerReportsRow): ReportsText {
  const lists = Object.entries({ loans, repayments, policies, harvests, input_purchases });
  const texts = Object.fromEntries(lists.map(([name, list]) => [name, JSON.stringify(list)])) as Pick<
    ReportsText,
    'loans' | 'repayments' | 'policies' | 'harvests' | 'input_purchases'
  >;
  return { subject, outstanding_kobo, ...texts, event_revision: '', mac: '' };
}
