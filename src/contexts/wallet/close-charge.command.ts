import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { StoreClosed, StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { StreamContended } from '../../platform/event-sourcing/queued-commands.js';
import { Clock } from '../../kernel/clock.js';
import { ChargesInHand } from './charges-in-hand.js';
import { STALE_AFTER_MS } from './domain/stale-outcome.js';
import { WalletStream } from './wallet-stream.js';

/** Milliseconds that a settlement waits, so that it can be committed together with another append to the same wallet. */
const SETTLEMENT_DELAY_MS = 2_000;
const RETRY_MS = 500;

/** Makes a charge final, once the response was handed to the socket. */
export class SettleCharge extends Command<void> {
  constructor(
    readonly partnerId: string,
    readonly lookupId: string,
  ) {
    super();
  }
}

/** Refunds a charge whose response could not be sent (interface, section 4.2, rule 7). */
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
    private readonly inHand: ChargesInHand,
  ) {}

  async execute({ partnerId, lookupId }: SettleCharge): Promise<void> {
    const command = { kind: 'settle' as const, partner_id: partnerId, lookup_ids: [lookupId], at: this.clock.iso(), actor: 'service' };
    const startedAt = this.clock.elapsedMs();
    this.inHand.responded(lookupId);
    for (;;) {
      try {
        await this.stream.execute(partnerId, command, { deferMs: SETTLEMENT_DELAY_MS });
        this.inHand.release(lookupId);
        return;
      } catch (error) {
        // A retry is harmless, since settling a closed charge appends nothing. After a minute the sweep of this process settles the charge,
        // which stays in hand until then.
        if (error instanceof StreamContended) continue;
        const isFinal = !(error instanceof StoreUnavailable) || error instanceof StoreClosed;
        if (isFinal || this.clock.elapsedMs() - startedAt > STALE_AFTER_MS) throw error;
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
    private readonly inHand: ChargesInHand,
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
    try {
      await this.stream.execute(partnerId, command);
    } finally {
      // If the refund failed, the sweep makes it.
      this.inHand.release(lookupId);
    }
  }
}
