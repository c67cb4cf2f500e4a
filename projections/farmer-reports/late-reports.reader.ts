import { type Pool } from 'pg';
import { type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { handledEvents } from '../../src/platform/projecting/applying/fold.js';
import { reportsAbout } from '../contribution/contribution.reader.js';
import { contributionProjection } from '../contribution/contribution.projection.js';
import { type ContributionRow } from '../contribution/contribution-table.js';
import { farmerReports, type FarmerReportsRow } from './farmer-reports.derivation.js';
import { type ReportsText } from './farmer-reports.reader.js';

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
