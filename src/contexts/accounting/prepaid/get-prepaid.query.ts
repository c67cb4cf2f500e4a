import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { customerProjection } from '../../../../projections/customer/customer.projection.js';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import {
  type EntryOfWallet,
  prepaidEntries,
  type PrepaidWallet,
  prepaidWallets,
} from '../../../../projections/wallet-entry/prepaid.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { DEFAULT_MODE, type Mode } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { momentOf } from '../domain/books-period.js';
import { type KoboByAge, prepaidByAge } from '../domain/prepaid.js';
import { type AsOf, ReportReads } from '../books/report-reads.js';

/** The prepaid money of a partner by its age. */
export interface PrepaidMoney extends Omit<PrepaidWallet, 'last_revision'>, KoboByAge {
  /** ISO 8601, UTC; null if it was never credited with a payment. */
  readonly last_payment_at: string | null;
}

export interface Prepaid extends AsOf {
  readonly mode: Mode;
  /** The last moment that is counted, ISO 8601. */
  readonly at: string;
  /** The partners with a balance, by customer number. */
  readonly partners: readonly PrepaidMoney[];
}

/** Returns how old the money in the wallets of one mode is at a moment (finance, "Reports"). */
export class GetPrepaid extends Query<Prepaid> {
  /** @param at timestamp, or a date for its end (UTC). Default: now. */
  constructor(
    readonly mode: Mode = DEFAULT_MODE,
    readonly at?: string,
  ) {
    super();
  }
}

const READ_MODELS = [walletEntryProjection, partnerProjection, customerProjection];

@QueryHandler(GetPrepaid)
export class GetPrepaidHandler implements IQueryHandler<GetPrepaid> {
  constructor(
    private readonly reads: ReportReads,
    private readonly clock: Clock,
  ) {}

  async execute({ mode, at: asked }: GetPrepaid): Promise<Prepaid> {
    await using read = await this.reads.from(READ_MODELS, async (snapshot) => {
      const at = momentOf(asked ?? this.clock.iso());
      const wallets = await prepaidWallets(snapshot, mode, at);
      const entries = await prepaidEntries(snapshot, wallets);
      return { at, partners: await byAge(wallets, entries, at) };
    });
    const { at, as_of_index, partners } = read;
    return { mode, at, as_of_index, partners };
  }
}

/** Returns each wallet with the age of its money. Reads the entries of one wallet at a time. */
async function byAge(wallets: readonly PrepaidWallet[], entries: AsyncIterable<EntryOfWallet>, at: string): Promise<PrepaidMoney[]> {
  const aged = new Map<string, PrepaidMoney>();
  const known = new Map(wallets.map((wallet) => [wallet.partner_id, wallet]));
  let own: EntryOfWallet[] = [];
  const finish = (): void => {
    const found = known.get(own[0]?.partner_id ?? '');
    if (!found) return;
    const { last_revision: _, ...wallet } = found;
    const last_payment_at = own.findLast(({ isPayment }) => isPayment)?.recorded_at ?? null;
    aged.set(wallet.partner_id, { ...wallet, last_payment_at, ...prepaidByAge(own, wallet.balance_kobo, at) });
  };
  for await (const entry of entries) {
    if (entry.partner_id !== own[0]?.partner_id) {
      finish();
      own = [];
    }
    own.push(entry);
  }
  finish();
  return wallets.flatMap(({ partner_id }) => aged.get(partner_id) ?? []);
}
