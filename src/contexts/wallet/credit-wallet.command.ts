import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Rejection } from '../../platform/event-sourcing/decider.js';
import { EventStore, NO_EVENTS } from '../../platform/event-sourcing/event-store.js';
import { Clock } from '../../kernel/clock.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { POOL } from '../../platform/injection-tokens.js';
import { ReadModelListener } from '../../platform/projecting/read-model-listener.js';
import { WalletStream } from './wallet-stream.js';
import { WalletRejection } from './domain/rejections.js';
import { assertCreditInBounds } from './domain/wallet-command.js';
import { walletStreamOf } from './domain/events.js';

export interface CreditResult {
  readonly balance_kobo: number;
  /** False if the reference was already credited with the same amount. */
  readonly created: boolean;
}

/**
 * Adds money to a wallet, once per reference.
 * @throws Rejection `reference_reused` if the reference belongs to a credit of another amount, `balance_limit` if the balance would exceed
 * the safe integers, `credit_history_moved` if the wallet was too busy to search its earlier credits
 * @throws ValidationFailed if the amount, the reference or the reason is out of bounds
 */
export class CreditWallet extends Command<CreditResult> {
  constructor(
    readonly partnerId: string,
    /** Integer kobo, above 0. */
    readonly amountKobo: number,
    /** The idempotency key of the credit; 1 to 255 characters. */
    readonly reference: string,
    readonly actor: string,
    /** The reason of the credit, such as `goodwill`; at most 255 characters. */
    readonly reason: string | null = null,
  ) {
    super();
  }
}

const MAX_ATTEMPTS = 5;

@CommandHandler(CreditWallet)
export class CreditWalletHandler implements ICommandHandler<CreditWallet> {
  constructor(
    private readonly stream: WalletStream,
    private readonly eventStore: EventStore,
    private readonly listener: ReadModelListener,
    private readonly readModels: ReadModels,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async execute(command: CreditWallet): Promise<CreditResult> {
    // The decider checks the same. This check comes first because the search for the reference must not see what PostgreSQL cannot store.
    assertCreditInBounds({ amount_kobo: command.amountKobo, reference: command.reference, reason: command.reason });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.credit(command);
      } catch (error) {
        if (!(error instanceof Rejection && error.code === 'credit_history_moved') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Searches the read model for the reference after the model has caught up with the last entry read here. Credits appended after that
   * entry are in the wallet's state, where the decider finds them.
   */
  private async credit({ partnerId, amountKobo, reference, actor, reason }: CreditWallet): Promise<CreditResult> {
    const last = await this.eventStore.lastEvent(walletStreamOf(partnerId));
    if (last && !(await this.listener.waitFor(last.position))) throw new WalletRejection('credit_history_moved');
    const creditedKobo = await this.findReference(partnerId, reference, last?.position ?? -1n);
    if (creditedKobo !== undefined && creditedKobo !== amountKobo) throw new WalletRejection('reference_reused', { reference });
    if (creditedKobo !== undefined) return { balance_kobo: (await this.stream.load(partnerId)).state.balance_kobo, created: false };
    const committed = await this.stream.execute(partnerId, {
      kind: 'credit',
      partner_id: partnerId,
      amount_kobo: amountKobo,
      reference,
      reason,
      checked_to_revision: last?.revision ?? NO_EVENTS,
      at: this.clock.iso(),
      actor,
    });
    await this.readModels.waitFor(committed);
    return { balance_kobo: committed.state.balance_kobo, created: committed.events.length > 0 };
  }

  /**
   * Returns the amount in kobo that was credited with the reference. One statement reads the row and the checkpoint from one snapshot; the
   * checkpoint is checked here because `wallet_entry` may be faulted while the other read models have caught up.
   */
  private async findReference(partnerId: string, reference: string, position: bigint): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ caught_up: boolean; amount_kobo: number | null }>(
      `select coalesce(c.position >= $3, $3 < 0) as caught_up, e.amount_kobo from ops.checkpoint c
       left join read.wallet_entry e on e.partner_id = $1 and e.reference = $2 where c.projection = 'wallet_entry'`,
      [partnerId, reference, position.toString()],
    );
    if (!rows[0]?.caught_up) throw new WalletRejection('credit_history_moved');
    return rows[0].amount_kobo ?? undefined;
  }
}
