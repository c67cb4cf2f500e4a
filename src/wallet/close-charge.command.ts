import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { StreamContended } from '../event-sourcing/stream-writer.js';
import { Clock } from '../infrastructure/clock.js';
import { WalletStream } from './wallet-stream.js';

/** A settlement waits this long, in ms, for another append of its wallet to ride with. */
const SETTLEMENT_DELAY_MS = 2_000;

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
    for (;;) {
      try {
        await this.stream.execute(partnerId, command, { deferMs: SETTLEMENT_DELAY_MS });
        return;
      } catch (error) {
        // The partner has its answer: others' writing must not turn the charge into a refund. Once it is closed there is nothing left to do.
        if (!(error instanceof StreamContended)) throw error;
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
    const command = { kind: 'refund' as const, partner_id: partnerId, lookup_ids: [lookupId], reason, at: this.clock.iso(), actor: 'service' };
    await this.stream.execute(partnerId, command);
  }
}
