import { movementsOf, totalsByAccount } from '../../src/contexts/accounting/domain/account-totals.js';
import { type MonthRead } from '../../src/contexts/accounting/domain/closing.js';
import { entryPostings } from '../../src/contexts/accounting/domain/entry-postings.js';
import { type LedgerEntryPosted } from '../../src/contexts/accounting/domain/events.js';
import { LEDGER_STREAMS } from '../../src/contexts/accounting/domain/ledger.js';
import { closableFrom, type Month, monthAt } from '../../src/contexts/accounting/domain/month.js';
import { type Posting, postings } from '../../src/contexts/accounting/domain/postings.js';
import { DEFAULT_PRICE_BOOK } from '../../src/contexts/pricing/domain/price-book.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { charge, close, credit, inWallet, register } from './evidence-events.js';
import { EvidenceHistory } from './evidence-history.js';
import { Random } from './random.js';
import { codecWithoutKeys } from './service-log.js';

const PARTNERS = { bank: 'live', shop: 'sandbox' } as const;

interface Posted {
  /** Day in UTC. */
  readonly day: string;
  readonly isEntry: boolean;
  readonly lines: readonly Posting[];
}

/** Returns what the events of a mode post, by the functions of the service. */
function postedIn({ lines }: EvidenceHistory, mode: Mode): Posted[] {
  const codec = codecWithoutKeys();
  const wallets = Object.entries(PARTNERS).flatMap(([partner, of]) => (of === mode ? [`wallet-${partner}`] : []));
  return lines.flatMap(({ stream, type, revision, data: text, metadata }): Posted[] => {
    const data = JSON.parse(text) as object;
    if (type === 'LedgerEntryPosted' && stream === `ledger-${mode}`) {
      const entry = data as LedgerEntryPosted['data'];
      return [{ day: entry.date, isEntry: true, lines: entryPostings(entry) }];
    }
    if (!wallets.includes(stream)) return [];
    const stored = { stream, type, revision: BigInt(revision), data, metadata: JSON.parse(metadata) as object } as unknown as StoredEvent;
    const event = { type, data: codec.inFull(stored).data } as unknown as WalletEvent;
    return [{ day: event.data.recorded_at.slice(0, 10), isEntry: false, lines: postings(event) }];
  });
}

/** Returns what the read models would show of a month. No charge of a history is left open. */
function readOf(history: EvidenceHistory, mode: Mode, month: Month): MonthRead {
  const [first, next] = [month.from.slice(0, 10), month.until.slice(0, 10)];
  const posted = postedIn(history, mode).filter(({ lines }) => lines.length > 0);
  const totalsBefore = (until: string) =>
    totalsByAccount(
      posted
        .filter(({ day }) => day < until)
        .flatMap(({ lines }) =>
          lines.map(({ account, debit_kobo, credit_kobo }) => ({
            account,
            debit_kobo: BigInt(debit_kobo),
            credit_kobo: BigInt(credit_kobo),
          })),
        ),
    );
  return {
    wallets_first_day: posted.find(({ isEntry }) => !isEntry)?.day ?? null,
    open_charges: 0,
    accounts: movementsOf(totalsBefore(first), totalsBefore(next)).map((each) => ({
      account: each.account,
      opening_kobo: String(each.opening_kobo),
      debit_kobo: String(each.debit_kobo),
      credit_kobo: String(each.credit_kobo),
      closing_kobo: String(each.closing_kobo),
    })),
    entries: posted.filter(({ day }) => day >= first && day < next).length,
    posted: posted.filter(({ isEntry }) => isEntry).length,
    index: history.lines.length - 1,
  };
}

/** Closes a month as an administrator. */
export async function closeMonth(history: EvidenceHistory, mode: Mode, name: string): Promise<void> {
  const month = monthAt(name);
  const read = readOf(history, mode, month);
  const issuer = { name: 'Rupa Ltd', address: null, tax_id: null };
  await history.as('admin:amina', async (by) => {
    await history.decide(LEDGER_STREAMS, mode, { kind: 'close', mode, month, read, issuer, prefix: 'RUPA', ...by });
  });
}

export async function postCharge(history: EvidenceHistory, mode: Mode, reference: string, amount_kobo: number, date: string | null = null) {
  const entry = {
    mode,
    kind: 'bank_charge',
    amount_kobo,
    account: null,
    of: null,
    date,
    reference,
    reason: 'fees',
    wallets_kobo: 0n,
  } as const;
  await history.as('admin:amina', async (by) => {
    await history.decide(LEDGER_STREAMS, mode, { ...entry, ...by });
  });
}

async function useWallets(history: EvidenceHistory, reference: string, amount_kobo: number): Promise<void> {
  for (const partner of Object.keys(PARTNERS)) {
    await history.as('admin:bayo', async (by) => inWallet(history, partner, by, credit(amount_kobo, reference)));
    await charge(history, partner, `${reference}-1`, DEFAULT_PRICE_BOOK, ['identity', 'bvn_nin_data']);
    await charge(history, partner, `${reference}-2`, DEFAULT_PRICE_BOOK, ['farms']);
    await close(history, partner, 'settle', `${reference}-1`);
    await close(history, partner, 'refund', `${reference}-2`);
  }
}

/** Lets the time pass until a month may be closed. */
function passMonth(history: EvidenceHistory, name: string, moreMs = 0): void {
  history.nowMs = Math.max(history.nowMs, Date.parse(closableFrom(monthAt(name))) + moreMs);
}

/** Returns a log whose months February to May 2026 were closed in live mode, of which April is empty, and March in the sandbox. */
export async function evidenceOfMonths(): Promise<EvidenceHistory> {
  const history = new EvidenceHistory();
  for (const [partner, mode] of Object.entries(PARTNERS)) await register(history, partner, mode, 'admin:amina');
  await useWallets(history, 'march', 5_000_00);
  await postCharge(history, 'live', 'late-fee', 25_50, '2026-02-27');
  await closeMonth(history, 'live', '2026-02');
  passMonth(history, '2026-03');
  await postCharge(history, 'live', 'fee-of-march', 10_00, '2026-03-31');
  await closeMonth(history, 'live', '2026-03');
  await closeMonth(history, 'sandbox', '2026-03');
  passMonth(history, '2026-04', 3_600_000);
  await closeMonth(history, 'live', '2026-04');
  await useWallets(history, 'may', 7_000_00);
  await postCharge(history, 'live', 'fee-of-may', 11_00);
  passMonth(history, '2026-05');
  await closeMonth(history, 'live', '2026-05');
  history.wait(60_000);
  await useWallets(history, 'june', 1_000_00);
  return history;
}

/** Draws a log of some months, which are closed when they may be or later, and its number of closes. */
export async function randomMonths(seed: number): Promise<{ readonly history: EvidenceHistory; readonly closes: number }> {
  const random = new Random(seed);
  const history = new EvidenceHistory();
  let closes = 0;
  for (const [partner, mode] of Object.entries(PARTNERS)) await register(history, partner, mode, 'admin:amina');
  let open: string[] = [];
  for (const name of ['2026-03', '2026-04', '2026-05', '2026-06']) {
    for (let step = random.between(0, 3); step > 0; step -= 1) {
      history.wait(random.between(1, 6 * 86_400_000));
      const day = history.now.slice(0, 10);
      if (random.chance(0.5)) await useWallets(history, `${name}-${step}`, random.between(1_000_00, 9_000_00));
      else
        await postCharge(history, 'live', `${name}-${step}`, random.between(1, 100_00), random.pick([null, day, `${open[0] ?? name}-01`]));
    }
    if (open.length > 0 || postedIn(history, 'live').length > 0) open = [...open, name];
    passMonth(history, name, random.between(0, 3 * 86_400_000));
    for (; open.length > 0 && random.chance(0.7); closes += 1) await closeMonth(history, 'live', open.shift() ?? '');
  }
  return { history, closes };
}
