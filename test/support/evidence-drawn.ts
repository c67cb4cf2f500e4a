import {
  DEFAULT_PRICE_BOOK,
  type Fees,
  FEE_KEYS,
  PRICE_BOOK_ID,
  PRICE_BOOK_STREAMS,
  type PriceBook,
} from '../../src/contexts/pricing/domain/price-book.js';
import { LEDGER_STREAMS } from '../../src/contexts/accounting/domain/ledger.js';
import { SECTIONS } from '../../src/kernel/section-names.js';
import { Rejection } from '../../src/platform/event-sourcing/decider.js';
import { Random } from './random.js';
import { beginPrices, charge, close, credit, inWallet, register, SIGNER } from './evidence-events.js';
import { EvidenceHistory } from './evidence-history.js';

const PARTNERS = ['p0', 'p1', 'p2'] as const;
const STEPS = 60;

/** Draws a history of a few partners: credits, charges at the prices in force, settlements, refunds, prices and checkpoints. */
export async function randomEvidence(seed: number): Promise<EvidenceHistory> {
  const random = new Random(seed);
  const history = new EvidenceHistory();
  if (random.chance(0.5)) await beginPrices(history);
  for (const partner of PARTNERS) await register(history, partner, random.pick(['live', 'sandbox'] as const), 'admin:amina');
  const open = new Map<string, string[]>(PARTNERS.map((partner) => [partner, []]));
  let book: PriceBook & { readonly fees_kobo: Fees } = DEFAULT_PRICE_BOOK;
  let checkpoints = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const partner = random.pick(PARTNERS);
    const charges = open.get(partner) ?? [];
    switch (random.weighted({ credit: 3, charge: 8, settle: 4, refund: 1, price: 1, entry: 2, checkpoint: 1 })) {
      case 'credit':
        await history.as(random.pick(['admin:amina', 'admin:bayo', 'cli:ops']), async (by) =>
          inWallet(history, partner, by, credit(random.between(1, 9_999_99), `r${step}`, random.pick(['payment', 'goodwill'] as const))),
        );
        break;
      case 'charge': {
        const sections = SECTIONS.filter(() => random.chance(0.3));
        const lookup = `l${step}${random.pick(['', 'c'])}`;
        if (await charged(history, partner, lookup, book, sections.length > 0 ? sections : ['identity'], random.chance(0.5)))
          charges.push(lookup);
        break;
      }
      case 'settle':
        if (charges.length > 0) await close(history, partner, 'settle', ...charges.splice(0, random.between(1, charges.length)));
        break;
      case 'refund':
        if (charges.length > 0) await close(history, partner, 'refund', ...charges.splice(0, 1));
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
    history.wait(random.between(1, 900));
  }
  for (const [partner, charges] of open) if (charges.length > 0) await close(history, partner, 'settle', ...charges);
  history.checkpoint(checkpoints + 1, SIGNER);
  return history;
}

/** Returns whether the balance was enough. */
async function charged(...given: Parameters<typeof charge>): Promise<boolean> {
  try {
    await charge(...given);
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
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
