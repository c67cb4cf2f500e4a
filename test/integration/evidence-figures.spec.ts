import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { customerProjection } from '../../projections/customer/customer.projection.js';
import { ledgerDayProjection } from '../../projections/ledger-day/ledger-day.projection.js';
import { ledgerEntryProjection } from '../../projections/ledger-entry/ledger-entry.projection.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { walletEntryProjection } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_PRICE_BOOK } from '../../src/contexts/pricing/domain/price-book.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { GetJournal, GetJournalHandler } from '../../src/contexts/accounting/books/get-journal.query.js';
import { GetPrepaid, GetPrepaidHandler } from '../../src/contexts/accounting/prepaid/get-prepaid.query.js';
import { GetRevenue, GetRevenueHandler } from '../../src/contexts/accounting/books/get-revenue.query.js';
import { ReportReads } from '../../src/contexts/accounting/books/report-reads.js';
import { type LogIndex } from '../../src/contexts/evidence/public.js';
import { MODES } from '../../src/kernel/accounts.js';
import { type Clock } from '../../src/kernel/clock.js';
import { type EventMetadata, type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type Projection } from '../../src/platform/projecting/projection.js';
import { createTable } from '../../src/platform/projecting/read-model-table.js';
import { type ReadModels } from '../../src/platform/projecting/read-models.js';
import { auditOf, auditsOf, runOf } from '../support/audit-programs.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { randomEvidence } from '../support/evidence-drawn.js';
import { type Change, charge, close, credit, evidenceOfEverything, inWallet, register } from '../support/evidence-events.js';
import { EvidenceHistory, type EvidenceLine } from '../support/evidence-history.js';
import { codecWithoutKeys } from '../support/service-log.js';
import { project } from '../support/unit/recorded.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

/** EVIDENCE_SEED repeats the drawn logs of a run, which a failure names. */
const SEED = Number(process.env.EVIDENCE_SEED ?? Math.floor(Math.random() * 1_000_000));
const DRAWN = Array.from({ length: 4 }, (_, n) => SEED + n);

const READ_MODELS: readonly Projection[] = [
  walletEntryProjection,
  ledgerDayProjection,
  ledgerEntryProjection,
  partnerProjection,
  customerProjection,
];
/** The days of each period, both included, with the option of the programs that counts the same. */
const PERIODS = [
  { option: '--month=2026-03', from: '2026-03-01', to: '2026-03-31' },
  { option: '--month=2026-02', from: '2026-02-01', to: '2026-02-28' },
  { option: '--month=2026-09', from: '2026-09-01', to: '2026-09-30' },
  { option: '--at=2026-03-01', to: '2026-03-01' },
  { option: '--at=2026-12-31', to: '2026-12-31' },
] as const;
/** With it, the entries of a drawn log are up to 12 days apart, and all of them take about a year. */
const LONG_WAIT_MS = 12 * 86_400_000;
const COLUMNS = 'customer number, partner, balance, of it 0-30, 31-90, 91-180 and over 180 days old (NGN), last payment, last lookup';

const naira = (kobo: bigint | number): string => (Number(kobo) / 100).toFixed(2);

function eventsOf(lines: readonly EvidenceLine[]): RecordedEvent[] {
  const codec = codecWithoutKeys();
  return lines.map(({ index, revision, data, metadata, ...line }) =>
    codec.inFull({
      ...line,
      revision: BigInt(revision),
      position: BigInt(index),
      data: JSON.parse(data) as Readonly<Record<string, unknown>>,
      metadata: JSON.parse(metadata) as EventMetadata,
    }),
  );
}

/** A charge spends money that turns out to be none, and is refunded before other money could pay for it. */
async function refundOfReversedMoney(): Promise<EvidenceHistory> {
  const history = new EvidenceHistory();
  await register(history, 'bank', 'live', 'admin:amina');
  const change = async (given: Change<WalletCommand>): Promise<void> =>
    history.as('admin:bayo', async (by) => inWallet(history, 'bank', by, given));
  await change(credit(1_000_00, 'bounced'));
  await charge(history, 'bank', 'l1', DEFAULT_PRICE_BOOK);
  await close(history, 'bank', 'refund', 'l1');
  history.wait(LONG_WAIT_MS);
  await change(credit(1_000_00, 'paid'));
  const found = { reversed_kobo: 0, isOtherReference: false };
  const reversal = { reference: 'back', reason: 'bounced', credit_reference: 'bounced', amount_kobo: null, found };
  await change({ kind: 'reverse', ...reversal, ...ALL_SEARCHED });
  return history;
}

describe('the programs in docs/audit', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
    const client = await pool.connect();
    for (const projection of READ_MODELS) await createTable(client, projection, 'read');
    client.release();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Fills the read models with what the service's projections make of a log. */
  async function given(lines: readonly EvidenceLine[]): Promise<void> {
    const events = eventsOf(lines);
    for (const projection of READ_MODELS) {
      const table = `read.${projection.name}`;
      const rows = project(projection, events).map((row) => ({ event_revision: '0', mac: '', ...row }));
      await pool.query(`truncate ${table}`);
      await pool.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [JSON.stringify(rows)]);
    }
  }

  /** Returns what the service reports, as the programs print it. */
  async function reported({
    option,
    to,
    ...first
  }: {
    readonly option: string;
    readonly from?: string;
    readonly to: string;
  }): Promise<string[]> {
    const caughtUp = { waitForLog: () => Promise.resolve() } as unknown as ReadModels;
    const clock = {} as Clock;
    const indexes = { at: () => Promise.resolve(null), reader: () => ({ of: (position: bigint) => Promise.resolve(Number(position)) }) };
    const reads = new ReportReads(pool, caughtUp, indexes as unknown as LogIndex);
    const [counted, period] = [option.slice(option.indexOf('=') + 1), { to, ...first }];
    const lines: string[] = [];
    for (const mode of MODES) {
      const revenue = await new GetRevenueHandler(reads, clock).execute(new GetRevenue(mode, period, ['month', 'section']));
      lines.push(`Revenue, ${mode}, ${counted}: month, section, lookups, net, VAT, gross, refunds (NGN)`);
      for (const { month = '', section = '', lookups, net_kobo, vat_kobo, refunds_kobo } of revenue.groups)
        lines.push(`  ${[month, section, lookups, ...[net_kobo, vat_kobo, net_kobo + vat_kobo, refunds_kobo].map(naira)].join(' ')}`);
      const prepaid = await new GetPrepaidHandler(reads, clock).execute(new GetPrepaid(mode, to));
      lines.push(`Prepaid money, ${mode}, at the end of ${counted}: ${COLUMNS}`);
      for (const { customer_number, partner_id, balance_kobo, last_payment_at, last_lookup_at, ...ages } of prepaid.partners) {
        const amounts = [balance_kobo, ages.age_0_30, ages.age_31_90, ages.age_91_180, ages.age_over_180].map(naira);
        lines.push(`  ${[customer_number, partner_id, ...amounts, last_payment_at ?? '-', last_lookup_at ?? '-'].join(' ')}`);
      }
      await using journal = await new GetJournalHandler(reads, clock, { codes: new Map() }).execute(new GetJournal(mode, period));
      const rows = await Array.fromAsync(journal.lines);
      const sum = (amounts: readonly bigint[]): string => naira(amounts.reduce((total, kobo) => total + kobo, 0n));
      const [debit, credit] = [rows.map(({ debit_kobo }) => debit_kobo), rows.map(({ credit_kobo }) => credit_kobo)];
      lines.push(`Journal, ${mode}, ${counted}: entries, debit, credit (NGN)`);
      lines.push(`  ${new Set(rows.map(({ entry }) => entry)).size} ${sum(debit)} ${sum(credit)}`);
    }
    return lines;
  }

  /** Returns the figures of a summary: each title of them with the lines below it. */
  const figuresIn = (summary: string): string[] =>
    summary.match(/^(?:Revenue|Prepaid money|Journal), .*$(?:\n {2}.*$)*/gm)?.flatMap((part) => part.split('\n')) ?? [];

  it.each<[string | number, () => Promise<EvidenceHistory>]>([
    ['with every kind of entry', evidenceOfEverything],
    ['with a refund of a charge whose credit was reversed', refundOfReversedMoney],
    ...DRAWN.map((seed) => [seed, async () => randomEvidence(seed, LONG_WAIT_MS)] as [number, () => Promise<EvidenceHistory>]),
  ])('print the revenue, the prepaid money and the journal of the service, for the log %s', async (_, made) => {
    const { lines } = await made();
    await given(lines);
    const found = auditsOf(PERIODS.map(({ option }) => runOf(lines, [], undefined, [option, '--figures'])));
    for (const [place, period] of PERIODS.entries())
      expect([found[place]?.status, figuresIn(found[place]?.out ?? '')]).toStrictEqual([0, await reported(period)]);
  });

  it('count the age of money at the newest event if no time is given', async () => {
    const { lines, now } = await randomEvidence(SEED, LONG_WAIT_MS);
    const [all, atNewest] = auditsOf([[], [`--at=${now}`]].map((options) => runOf(lines, [], undefined, [...options, '--figures'])));
    expect(figuresIn(all?.out ?? '')).toStrictEqual(figuresIn(atNewest?.out.replaceAll(now, 'all events') ?? ''));
  });

  it('print these figures only if they are asked to', async () => {
    const { lines } = await evidenceOfEverything();
    expect(figuresIn(auditOf(lines).out)).toStrictEqual([]);
  });
});
