import { APPROVAL_STREAMS } from '../../src/contexts/approvals/domain/approval.js';
import { type ApprovableCall, type Approval } from '../../src/contexts/approvals/domain/events.js';
import { APPROVAL_LIMIT_ID, APPROVAL_LIMIT_STREAMS } from '../../src/contexts/approvals/domain/approval-limit.js';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { LEDGER_STREAMS, type PostEntry } from '../../src/contexts/accounting/domain/ledger.js';
import { API_KEY_STREAMS } from '../../src/contexts/partners/domain/api-key.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import {
  DEFAULT_PRICE_BOOK,
  type Fees,
  PRICE_BOOK_ID,
  PRICE_BOOK_STREAMS,
  type PriceBook,
  priceLookup,
} from '../../src/contexts/pricing/domain/price-book.js';
import { PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS } from '../../src/contexts/pricing/domain/price-schedule.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { type Section } from '../../src/kernel/section-names.js';
import { OPERATIONS_ID, OPERATIONS_STREAMS } from '../../src/platform/unusable-events/domain/skip-event.js';
import { type By, EvidenceHistory } from './evidence-history.js';
import { ALL_SEARCHED } from './unit/searched-entries.js';

/** The key that signs the checkpoints of the test's log. */
export const SIGNER = new NoteSigner('rupa.example/log', Buffer.alloc(32, 7));

const FEES = DEFAULT_PRICE_BOOK.fees_kobo;
export const RAISED: Fees = { ...FEES, 'svc_fee.identity': 60_00 };
export const RAISED_AGAIN: Fees = { ...FEES, 'svc_fee.identity': 75_50 };

/** The rates of VAT of the second and the third price book, in percent. */
export const VAT = 7.5;
export const VAT_RAISED = 10;

export type Change<Command> = Command extends WalletCommand ? Omit<Command, 'partner_id' | 'at' | 'actor'> : never;

/** Changes the wallet of a partner. */
export async function inWallet(history: EvidenceHistory, partner_id: string, by: By, change: Change<WalletCommand>): Promise<void> {
  await history.decide(WALLET_STREAMS, partner_id, { ...change, partner_id, ...by });
}

/** Publishes version 1 of the prices, with which a new log begins. */
export async function beginPrices(history: EvidenceHistory): Promise<void> {
  await history.decide(PRICE_BOOK_STREAMS, PRICE_BOOK_ID, { fees_kobo: FEES, begins: true, at: history.now, actor: 'service' });
}

export async function register(history: EvidenceHistory, partner_id: string, mode: 'live' | 'sandbox', actor: string): Promise<void> {
  await history.as(actor, async (by) => {
    await history.decide(PARTNER_STREAMS, partner_id, {
      kind: 'register',
      partner_id,
      company_name: 'A Bank',
      account_type: 'bank',
      mode,
      ...by,
    });
    await history.decide(PARTNER_STREAMS, partner_id, { kind: 'activate', partner_id, ...by });
    const key = { key_id: `k-${partner_id}`, key_hash: 'x', label: null, partner_id };
    await history.decide(API_KEY_STREAMS, key.key_id, { kind: 'issue', ...key, ...by });
  });
}

export async function charge(
  history: EvidenceHistory,
  partner_id: string,
  lookup_id: string,
  book: Pick<PriceBook, 'version' | 'vat_percent'> & { readonly fees_kobo: Fees },
  sections: readonly Section[] = ['identity'],
  hasBureau = false,
): Promise<void> {
  const by = { at: history.now, actor: `key:k-${partner_id}` };
  const breakdown_kobo = priceLookup(book, sections, hasBureau);
  await inWallet(history, partner_id, by, {
    kind: 'charge',
    lookups: [{ lookup_id, rupa_id: 'rp-1', breakdown_kobo, grants_consent: lookup_id.endsWith('c') }],
    source: 'a loan',
    price_book_version: book.version,
    vat_percent: book.vat_percent,
    key_id: `k-${partner_id}`,
  });
  history.wait(300);
}

export async function close(
  history: EvidenceHistory,
  partner_id: string,
  kind: 'settle' | 'refund',
  ...lookup_ids: string[]
): Promise<void> {
  const by = { at: history.now, actor: 'service' };
  await inWallet(history, partner_id, by, kind === 'settle' ? { kind, lookup_ids } : { kind, lookup_ids, reason: 'the response failed' });
  history.wait(300);
}

export const credit = (amount_kobo: number, reference: string, credit_kind: 'payment' | 'goodwill' = 'payment'): Change<WalletCommand> => ({
  kind: 'credit',
  amount_kobo,
  reference,
  credit_kind,
  reason: credit_kind === 'payment' ? null : 'an outage',
  ...ALL_SEARCHED,
});

/** Publishes a schedule that is due, as the service does. */
async function publishDue(history: EvidenceHistory, actor: string): Promise<void> {
  const by = { at: history.now, actor };
  const schedule_revision = 0;
  const due = [{ fees_kobo: RAISED_AGAIN, vat_percent: VAT_RAISED, schedule_revision, actor }];
  await history.decide(PRICE_BOOK_STREAMS, PRICE_BOOK_ID, { due, ...by });
  await history.decide(PRICE_SCHEDULE_STREAMS, PRICE_SCHEDULE_ID, { kind: 'fulfil', schedule_revision, ...by });
}

/** Appends an event that something else wrote to the bank's wallet, and an operator's decision to skip it. */
async function skipForeignEntry(history: EvidenceHistory): Promise<void> {
  const event_id = history.append('wallet-bank', 'Note', { text: 'remember' }, {});
  await history.as('cli:ops', async (by) => {
    const skip = { event_id, stream: 'wallet-bank', revision: 1, position: '7', reason: 'a note' };
    await history.decide(OPERATIONS_STREAMS, OPERATIONS_ID, { ...skip, ...by });
  });
}

/**
 * Returns a log with every kind of event that the programs in docs/audit have rules about. Two price books are published, the second one by
 * its schedule. Amounts are chosen so that no two entries are alike.
 */
export async function evidenceOfEverything(): Promise<EvidenceHistory> {
  const history = new EvidenceHistory();
  await register(history, 'bank', 'live', 'admin:amina');
  await register(history, 'shop', 'sandbox', 'admin:bayo');
  history.append('notes-of-others', 'Noted', { text: 'no event of ours' }, {});
  await history.as('admin:amina', async (by) => inWallet(history, 'bank', by, credit(100_000_00, 'opening')));
  await skipForeignEntry(history);
  await history.as('admin:bayo', async () => Promise.resolve(), 'POST /console/sign-in');
  await history.as('admin:bayo', async (by) => inWallet(history, 'bank', by, credit(500_50, 'thanks', 'goodwill')));
  await history.as('admin:bayo', async (by) => inWallet(history, 'shop', by, credit(2_000_00, 'opening')));
  await charge(history, 'bank', 'l1', DEFAULT_PRICE_BOOK, ['identity', 'bvn_nin_data']);
  await charge(history, 'bank', 'l2', DEFAULT_PRICE_BOOK, ['credit_history'], true);
  await close(history, 'bank', 'settle', 'l1');
  await close(history, 'bank', 'refund', 'l2');
  history.checkpoint(1, SIGNER);
  history.wait(60_000);
  await history.as('admin:amina', async (by) => {
    await history.decide(PRICE_BOOK_STREAMS, PRICE_BOOK_ID, { fees_kobo: RAISED, vat_percent: VAT, ...by });
  });
  history.wait(60_000);
  const raised = { version: 2, fees_kobo: RAISED, vat_percent: VAT };
  await charge(history, 'bank', 'l3c', raised, ['identity', 'farms']);
  await charge(history, 'bank', 'l4', raised);
  await charge(history, 'shop', 'l5', raised);
  await close(history, 'shop', 'settle', 'l5');
  await close(history, 'bank', 'settle', 'l3c', 'l4');
  await correct(history);
  await postEntries(history);
  await schedule(history);
  const raisedAgain = { version: 3, fees_kobo: RAISED_AGAIN, vat_percent: VAT_RAISED };
  await charge(history, 'bank', 'l7', raisedAgain, ['identity', 'bvn_nin_data']);
  await close(history, 'bank', 'refund', 'l7');
  await charge(history, 'bank', 'l6', raisedAgain);
  await close(history, 'bank', 'settle', 'l6');
  await history.as('admin:bayo', () => Promise.resolve(), 'GET /admin/v1/farmers/:rupaId');
  await history.as('cli:ops', async (by) => {
    await history.decide(PARTNER_STREAMS, 'bank', { kind: 'change-ip-allow-list', partner_id: 'bank', cidrs: ['10.0.0.0/8'], ...by });
    await history.decide(PARTNER_STREAMS, 'bank', { kind: 'change-details', partner_id: 'bank', legal: { tax_id: '1' }, ...by });
  });
  await approveLarge(history);
  history.wait(180_000);
  await history.as('admin:amina', async (by) => inWallet(history, 'bank', by, credit(1_00, 'last')));
  return history;
}

/** Sets the limit, and credits and posts more than that with the approval of a second person. */
async function approveLarge(history: EvidenceHistory): Promise<void> {
  await history.decide(APPROVAL_LIMIT_STREAMS, APPROVAL_LIMIT_ID, { limit_kobo: 50_000_00, at: history.now, actor: 'service' });
  const of = { mode: 'live' as const, amount_kobo: 60_000_00, reference: 'large' };
  await approve(history, 'a-1', { ...of, kind: 'credit', partner_id: 'bank', call: {} }, async (by) => {
    await inWallet(history, 'bank', by, { ...credit(of.amount_kobo, of.reference), approval: by.approval });
  });
  await approve(history, 'a-2', { ...of, kind: 'ledger_entry', partner_id: null, call: {} }, async (by) => {
    const entry = {
      ...of,
      kind: 'opening_balance' as const,
      account: 'goodwill_expense',
      of: null,
      date: null,
      reason: 'of the former books',
    };
    await history.decide(LEDGER_STREAMS, of.mode, { ...entry, wallets_kobo: 0n, ...by });
  });
}

/** Asks for a second person as one administrator, and executes the call as another one. */
async function approve(
  history: EvidenceHistory,
  approval_id: string,
  request: ApprovableCall,
  execute: (by: { readonly at: string; readonly actor: string; readonly approval: Approval }) => Promise<unknown>,
): Promise<void> {
  const requester = 'admin:amina';
  history.wait(60_000);
  await history.as(requester, async (by) => {
    await history.decide(APPROVAL_STREAMS, approval_id, { kind: 'request', approval_id, request, ...by });
  });
  history.wait(60_000);
  await history.as('admin:bayo', async (by) => {
    await history.decide(APPROVAL_STREAMS, approval_id, { kind: 'grant', ...by });
    await execute({ ...by, actor: requester, approval: { approval_id, approved_by: by.actor } });
    await history.decide(APPROVAL_STREAMS, approval_id, { kind: 'execute', ...by });
  });
}

async function correct(history: EvidenceHistory): Promise<void> {
  const debit_revision = history.lines.findIndex(({ data }) => data.includes('"lookup_id":"l4"'));
  const breakdown_kobo = { 'svc_fee.identity': 60_00 };
  const revision = history.lines[debit_revision]?.revision ?? 0;
  const found = { debit_revision: revision, rupa_id: 'rp-1', amount_kobo: 60_00, breakdown_kobo, vat_percent: VAT };
  await history.as('admin:bayo', async (by) =>
    inWallet(history, 'bank', by, { kind: 'compensate', lookup_id: 'l4', reason: 'a wrong record', found, ...ALL_SEARCHED }),
  );
  await history.as('admin:amina', async (by) =>
    inWallet(history, 'bank', by, {
      kind: 'reverse',
      credit_reference: 'opening',
      amount_kobo: 700_00,
      reference: 'back-1',
      reason: 'sent twice',
      found: { reversed_kobo: 0, isOtherReference: false },
      ...ALL_SEARCHED,
    }),
  );
  const payout = { amount_kobo: 300_00, reference: 'out-1', reason: 'asked back', ...ALL_SEARCHED };
  await history.as('admin:amina', async (by) => inWallet(history, 'bank', by, { kind: 'pay_out', ...payout }));
  const withheld = { ...credit(200_00, 'net'), deductions: { bank_fee_kobo: 5_00, withheld_tax_kobo: 10_00 } };
  await history.as('admin:amina', async (by) => inWallet(history, 'bank', by, withheld));
  await history.as('admin:amina', async (by) =>
    inWallet(history, 'bank', by, {
      kind: 'reverse',
      credit_reference: 'net',
      amount_kobo: 192_00,
      reference: 'back-2',
      reason: 'sent twice',
      found: { reversed_kobo: 0, isOtherReference: false },
      ...ALL_SEARCHED,
    }),
  );
}

/** Posts a ledger entry of each kind. The wallets owe NGN 60 to each provider, and hold NGN 3 of withheld tax. */
async function postEntries(history: EvidenceHistory): Promise<void> {
  const post = async (entry: Pick<PostEntry, 'kind' | 'reference'> & Partial<PostEntry>): Promise<void> => {
    await history.as('admin:amina', async (by) => {
      const given = {
        mode: 'live' as const,
        amount_kobo: null,
        account: null,
        of: null,
        date: null,
        reason: 'of the bank',
        wallets_kobo: 0n,
      };
      await history.decide(LEDGER_STREAMS, entry.mode ?? 'live', { ...given, ...entry, ...by });
    });
  };
  const owed = { wallets_kobo: -60_00n, account: 'bvn' };
  await post({ kind: 'opening_balance', reference: 'open-1', account: 'cash_received', amount_kobo: 9_000_00, date: '2026-01-31' });
  await post({ kind: 'opening_balance', reference: 'open-2', account: 'vat_payable', amount_kobo: 70_00, date: '2026-01-31' });
  await post({ kind: 'passthrough_settlement', reference: 'settle-1', ...owed, amount_kobo: 45_00, reason: 'paid to the provider' });
  await post({ kind: 'passthrough_settlement', reference: 'settle-2', ...owed, amount_kobo: 15_00, date: '2026-02-28' });
  await post({ kind: 'vat_remittance', reference: 'vat-1', amount_kobo: 70_00 });
  await post({ kind: 'wht_certificate', reference: 'wht-1', wallets_kobo: 3_00n, amount_kobo: 1_00 });
  await post({ kind: 'bank_charge', reference: 'charge-1', amount_kobo: 52_50 });
  await post({ kind: 'bank_interest', reference: 'interest-1', amount_kobo: 13, mode: 'sandbox' });
  await post({ kind: 'reversal', reference: 'undo-1', of: 'settle-2' });
}

async function schedule(history: EvidenceHistory): Promise<void> {
  const effective_at = new Date(history.nowMs + 3_600_000).toISOString();
  await history.as('admin:bayo', async (by) => {
    const book = { fees_kobo: RAISED_AGAIN, vat_percent: VAT_RAISED };
    await history.decide(PRICE_SCHEDULE_STREAMS, PRICE_SCHEDULE_ID, { kind: 'schedule', ...book, effective_at, ...by });
  });
  history.wait(3_602_000);
  await publishDue(history, 'admin:bayo');
  history.wait(20_000);
}
