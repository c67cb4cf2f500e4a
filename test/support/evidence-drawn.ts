import {
  DEFAULT_PRICE_BOOK,
  type Fees,
  FEE_KEYS,
  PRICE_BOOK_ID,
  PRICE_BOOK_STREAMS,
  type PriceBook,
  priceLookup,
} from '../../src/contexts/pricing/domain/price-book.js';
import { LEDGER_STREAMS } from '../../src/contexts/accounting/domain/ledger.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { SECTIONS } from '../../src/kernel/section-names.js';
import { Rejection } from '../../src/platform/event-sourcing/decider.js';
import { Random } from './random.js';
import { beginPrices, type Change, charge, close, credit, inWallet, register, SIGNER } from './evidence-events.js';
import { EvidenceHistory } from './evidence-history.js';
import { ALL_SEARCHED } from './unit/searched-entries.js';

const PARTNERS = ['p0', 'p1', 'p2'] as const;
const STEPS = 60;

/** A wallet as far as it was drawn; corrections need what they correct. */
interface DrawnWallet {
  readonly open: string[];
  readonly credits: { readonly reference: string; reversed_kobo: number }[];
  /** By lookup. */
  readonly charges: Map<string, Extract<WalletCommand, { kind: 'compensate' }>['found']>;
}

/**
 * Draws a history of a few partners: credits, charges at the prices in force, settlements, refunds, corrections, prices and checkpoints.
 * @param longestWaitMs between two of them; the entries of some weeks apart make money of different ages
 */
export async function randomEvidence(seed: number, longestWaitMs = 900): Promise<EvidenceHistory> {
  const random = new Random(seed);
  const history = new EvidenceHistory();
  if (random.chance(0.5)) await beginPrices(history);
  for (const partner of PARTNERS) await register(history, partner, random.pick(['live', 'sandbox'] as const), 'admin:amina');
  const wallets = new Map<string, DrawnWallet>(PARTNERS.map((partner) => [partner, { open: [], credits: [], charges: new Map() }]));
  let book: PriceBook & { readonly fees_kobo: Fees } = DEFAULT_PRICE_BOOK;
  let checkpoints = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const partner = random.pick(PARTNERS);
    const wallet = wallets.get(partner) as DrawnWallet;
    switch (random.weighted({ credit: 3, charge: 8, settle: 4, refund: 2, correct: 4, price: 1, entry: 2, checkpoint: 1 })) {
      case 'credit': {
        const amount_kobo = random.between(1, random.pick([9_999_99, 1_000_00]));
        const given = credit(amount_kobo, `r${step}`, random.pick(['payment', 'goodwill'] as const));
        await history.as(random.pick(['admin:amina', 'admin:bayo', 'cli:ops']), async (by) => inWallet(history, partner, by, given));
        wallet.credits.push({ reference: `r${step}`, reversed_kobo: 0 });
        break;
      }
      case 'charge': {
        const drawn = SECTIONS.filter(() => random.chance(0.3));
        const sections = drawn.length > 0 ? drawn : (['identity'] as const);
        const [lookup, hasBureau] = [`l${step}${random.pick(['', 'c'])}`, random.chance(0.5)];
        if (!(await isAccepted(charge(history, partner, lookup, book, sections, hasBureau)))) break;
        wallet.open.push(lookup);
        const { revision } = history.lines.findLast(({ data }) => data.includes(`"${lookup}"`) && data.includes('"fees"')) ?? {};
        const breakdown_kobo = priceLookup(book, sections, hasBureau);
        const amount_kobo = Object.values(breakdown_kobo).reduce((sum, kobo) => sum + kobo, 0);
        const { vat_percent } = book;
        wallet.charges.set(lookup, { debit_revision: revision ?? 0, rupa_id: 'rp-1', amount_kobo, breakdown_kobo, vat_percent });
        break;
      }
      case 'settle':
        if (wallet.open.length > 0)
          await close(history, partner, 'settle', ...wallet.open.splice(0, random.between(1, wallet.open.length)));
        break;
      case 'refund':
        if (wallet.open.length > 0) await close(history, partner, 'refund', ...wallet.open.splice(0, 1));
        break;
      case 'correct':
        await correct(history, random, partner, wallet, step);
        break;
      case 'price': {
        const fees_kobo = Object.fromEntries(FEE_KEYS.map((key) => [key, random.between(0, 200_00)])) as unknown as Fees;
        const vat_percent = random.pick([0, 7.5, random.between(0, 100_00) / 100]);
        await history.as('admin:bayo', async (by) => {
          await history.decide(PRICE_BOOK_STREAMS, PRICE_BOOK_ID, { fees_kobo, vat_percent, ...by });
        });
        book = { version: book.version + 1, fees_kobo, vat_percent };
        break;
      }
      case 'entry':
        await post(history, random, step);
        break;
      case 'checkpoint':
        history.checkpoint((checkpoints += 1), SIGNER);
    }
    history.wait(random.between(1, longestWaitMs));
  }
  for (const [partner, { open }] of wallets) if (open.length > 0) await close(history, partner, 'settle', ...open);
  history.checkpoint(checkpoints + 1, SIGNER);
  return history;
}

/** Returns whether a command was not rejected. */
async function isAccepted(decided: Promise<void>): Promise<boolean> {
  try {
    await decided;
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}

/** Pays out, reverses a credit or compensates a lookup, if that is allowed. */
async function correct(
  history: EvidenceHistory,
  random: Random,
  partner: string,
  { credits, charges }: DrawnWallet,
  step: number,
): Promise<void> {
  const [reference, amount_kobo, reason] = [`c${step}`, random.between(1, 500_00), 'drawn'];
  const kind = random.pick(['pay_out', 'reverse', 'compensate'] as const);
  await history.as('admin:bayo', async (by) => {
    const change = async (given: Change<WalletCommand>): Promise<boolean> => isAccepted(inWallet(history, partner, by, given));
    if (kind === 'pay_out') await change({ kind, amount_kobo, reference, reason, ...ALL_SEARCHED });
    if (kind === 'reverse' && credits.length > 0) {
      const credited = random.pick(credits);
      const found = { reversed_kobo: credited.reversed_kobo, isOtherReference: false };
      const of = { credit_reference: credited.reference, amount_kobo: random.pick([amount_kobo, null]), found };
      const isReversed = await change({ kind, reference, reason, ...ALL_SEARCHED, ...of });
      if (isReversed && of.amount_kobo === null) credits.splice(credits.indexOf(credited), 1);
      else if (isReversed) credited.reversed_kobo += of.amount_kobo ?? 0;
    }
    if (kind === 'compensate' && charges.size > 0) {
      const [lookup_id, found] = random.pick([...charges]);
      await change({ kind, lookup_id, reason, found, ...ALL_SEARCHED });
    }
  });
}

/** Posts an opening balance or, within it, a remittance, or undoes an entry of before, if that is allowed. */
async function post(history: EvidenceHistory, random: Random, step: number): Promise<void> {
  const kind = random.pick(['opening_balance', 'vat_remittance', 'reversal'] as const);
  const amount_kobo = kind === 'reversal' ? null : random.between(1, 500_00);
  const account = kind === 'opening_balance' ? random.pick(['vat_payable', 'cash_received', 'bank_charges']) : null;
  const of = kind === 'reversal' ? `e${random.between(0, step)}` : null;
  const date = random.pick([null, '2026-02-28', '2026-01-01']);
  const entry = { mode: 'live', kind, amount_kobo, account, of, date, reference: `e${step}`, reason: 'drawn', wallets_kobo: 0n } as const;
  await history.as('admin:amina', async (by) => {
    await history.decide(LEDGER_STREAMS, 'live', { ...entry, ...by }).catch((error: unknown) => {
      if (!(error instanceof Rejection)) throw error;
    });
  });
}
