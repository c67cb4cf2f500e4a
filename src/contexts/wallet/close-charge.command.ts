import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { StreamContended } from '../../platform/event-sourcing/stream-writer.js';
import { Clock } from '../../kernel/clock.js';
import { STALE_AFTER_MS } from './stale-charges.js';
import { WalletStream } from './wallet-stream.js';

/** A settlement waits this long, in ms, for another append of its wallet to ride with. */
const SETTLEMENT_DELAY_MS = 2_000;
const RETRY_MS = 500;

/** The answer was handed to the socket: the charge stands. */
export class SettleCharge extends Command<void> {
  constructor(
    readonly partnerId: string,
    readonly lookupId: string,
  ) {
    super();
  }
}

/** The partner got no answer: the charge goes back (interface 4.2, rule 7). */
export class RefundCharge extends Command<void> {
  constructor(
    readonly partnerId: string,
    readonly lookupId: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(SettleCharge)
export class SettleChargeHandler implements ICommandHandler<SettleCharge> {
  constructor(
    private readonly stream: WalletStream,
    private readonly clock: Clock,
  ) {}

  async execute({ partnerId, lookupId }: SettleCharge): Promise<void> {
    const command = { kind: 'settle' as const, partner_id: partnerId, lookup_ids: [lookupId], at: this.clock.iso(), actor: 'service' };
    const began = this.clock.now().getTime();
    for (;;) {
      try {
        await this.stream.execute(partnerId, command, { deferMs: SETTLEMENT_DELAY_MS });
        return;
      } catch (error) {
        // The partner has its answer: others' writing, or a store that is away for some seconds, must not turn the charge into a refund.
        // Once it is closed there is nothing left to do.
        if (error instanceof StreamContended) continue;
        if (!(error instanceof StoreUnavailable) || this.clock.now().getTime() - began > STALE_AFTER_MS) throw error;
        await this.clock.delay(RETRY_MS);
      }
    }
  }
}

@CommandHandler(RefundCharge)
export class RefundChargeHandler implements ICommandHandler<RefundCharge> {
  constructor(
    private readonly stream: WalletStream,
    private readonly clock: Clock,
  ) {}

  async execute({ partnerId, lookupId, reason }: RefundCharge): Promise<void> {
    const command = {
      kind: 'refund' as const,
      partner_id: partnerId,
      lookup_ids: [lookupId],
      reason,
      at: this.clock.iso(),
      actor: 'service',
    };
    await this.stream.execute(partnerId, command);
  }
}
