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
import { walletStreamOf } from './domain/events.js';

export interface Credited {
  readonly balance_kobo: number;
  /** False where the reference had been credited before. */
  readonly created: boolean;
}

/** Raises Rejection `reference_reused` (another amount), `balance_limit`, `credit_history_moved` (busy: try again). */
export class CreditWallet extends Command<Credited> {
  constructor(
    readonly partnerId: string,
    /** Integer kobo, above 0. */
    readonly amountKobo: number,
    /** The idempotency key. */
    readonly reference: string,
    readonly actor: string,
    /** Why, such as goodwill; at most 255 characters. */
    readonly reason: string | null = null,
  ) {
    super();
  }
}

const ATTEMPTS = 5;

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

  async execute(command: CreditWallet): Promise<Credited> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.credit(command);
      } catch (error) {
        if (!(error instanceof Rejection && error.code === 'credit_history_moved') || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** Old references are looked for in the read model, once it is level with the log; newer ones are known to the wallet's state. */
  private async credit({ partnerId, amountKobo, reference, actor, reason }: CreditWallet): Promise<Credited> {
    const last = await this.eventStore.lastEvent(walletStreamOf(partnerId));
    if (last && !(await this.listener.waitFor(last.position))) throw new WalletRejection('credit_history_moved');
    const known = await this.findReference(partnerId, reference, last?.position ?? -1n);
    if (known !== undefined && known !== amountKobo) throw new WalletRejection('reference_reused', { reference });
    if (known !== undefined) return { balance_kobo: (await this.stream.load(partnerId)).state.balance_kobo, created: false };
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
    await this.readModels.show(committed);
    return { balance_kobo: committed.state.balance_kobo, created: committed.events.length > 0 };
  }

  /** The amount credited with the reference. One statement, so that rows and checkpoint are of one moment: this table alone may be behind the others. */
  private async findReference(partnerId: string, reference: string, position: bigint): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ level: boolean; amount_kobo: number | null }>(
      `select coalesce(c.position >= $3, $3 < 0) as level, e.amount_kobo from ops.checkpoint c
       left join read.wallet_entry e on e.partner_id = $1 and e.reference = $2 where c.projection = 'wallet_entry'`,
      [partnerId, reference, position.toString()],
    );
    if (!rows[0]?.level) throw new WalletRejection('credit_history_moved');
    return rows[0].amount_kobo ?? undefined;
  }
}
