import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
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
import { readSnapshot } from '../../../platform/database/held-rows.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { DOCUMENT_WAIT_MS, ReadModels } from '../../../platform/projecting/read-models.js';
import { LogIndex } from '../../evidence/public.js';
import { momentOf } from '../domain/books-period.js';
import { type KoboByAge, prepaidByAge } from '../domain/prepaid.js';

/** The prepaid money of a partner by its age. */
export interface PrepaidMoney extends Omit<PrepaidWallet, 'last_revision'>, KoboByAge {
  /** ISO 8601, UTC; null if it was never credited with a payment. */
  readonly last_payment_at: string | null;
}

export interface Prepaid {
  readonly mode: Mode;
  /** The last moment that is counted, ISO 8601. */
  readonly at: string;
  /** Index of the last event of the log that was read; null if it is not known. */
  readonly as_of_index: number | null;
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
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    private readonly logIndex: LogIndex,
  ) {}

  async execute({ mode, at: asked }: GetPrepaid): Promise<Prepaid> {
    await this.readModels.waitForLog(READ_MODELS, DOCUMENT_WAIT_MS);
    const at = momentOf(asked ?? this.clock.iso());
    const names = READ_MODELS.map(({ name }) => name);
    await using read = await readSnapshot(this.pool, async (snapshot) => {
      const wallets = await prepaidWallets(snapshot, mode, at);
      const entries = await prepaidEntries(snapshot, wallets);
      return {
        partners: await byAge(wallets, entries, at),
        as_of_index: await this.logIndex.at(snapshot, await computedUpTo(snapshot, names)),
      };
    });
    return { mode, at, as_of_index: read.as_of_index, partners: read.partners };
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
