import { ServiceUnavailableException } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { OutcomeUnknown } from '../../platform/event-sourcing/event-store.js';
import { Clock } from '../../kernel/clock.js';
import { type ChargeCommand } from './domain/wallet.js';
import { WalletStream } from './wallet-stream.js';

/** A caller is kept waiting for its charge this long, in ms; what is charged later goes back. */
const CHARGE_TIMEOUT_MS = 10_000;

export type Charge = Omit<ChargeCommand, 'kind' | 'at' | 'actor'>;

/** Nobody knows yet whether the charge was made; if it was, it goes back. */
export class ChargeUncertain extends ServiceUnavailableException {
  override name = 'ChargeUncertain';

  constructor(reason: string) {
    super('The charge could not be confirmed in time and is refunded if it was made. Please retry with backoff.', { cause: reason });
  }
}

/** One append: the debit, and the consent that the lookup grants. Raises Rejection `insufficient_balance`, or {@link ChargeUncertain}. */
export class ChargeLookup extends Command<void> {
  constructor(
    readonly charge: Charge,
    readonly mode: 'live' | 'sandbox',
  ) {
    super();
  }
}

@CommandHandler(ChargeLookup)
export class ChargeLookupHandler implements ICommandHandler<ChargeLookup> {
  constructor(
    private readonly stream: WalletStream,
    private readonly clock: Clock,
  ) {}

  async execute({ charge, mode }: ChargeLookup): Promise<void> {
    const command: ChargeCommand = { ...charge, kind: 'charge', at: this.clock.iso(), actor: `key:${charge.key_id}` };
    const givenUp = new AbortController();
    const charging = this.stream.execute(charge.partner_id, command, { mode, causationId: charge.lookup_id, signal: givenUp.signal });
    const late = Promise.withResolvers<'late'>();
    const cancel = this.clock.after(CHARGE_TIMEOUT_MS, () => {
      late.resolve('late');
    });
    try {
      if ((await Promise.race([charging, late.promise])) !== 'late') return;
    } catch (error) {
      throw error instanceof OutcomeUnknown ? new ChargeUncertain(error.message) : error;
    } finally {
      cancel();
    }
    givenUp.abort();
    // The sweep refunds what could not be refunded here.
    charging.then(() => this.refund(charge)).catch(() => undefined);
    throw new ChargeUncertain('The charge could not be confirmed in time.');
  }

  private async refund({ partner_id, lookup_id }: Charge): Promise<void> {
    const reason = 'the charge came too late for a response';
    await this.stream.execute(partner_id, {
      kind: 'refund',
      partner_id,
      lookup_ids: [lookup_id],
      reason,
      at: this.clock.iso(),
      actor: 'service',
    });
  }
}
