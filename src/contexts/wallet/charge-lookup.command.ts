import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiError } from '../../http/api-error.js';
import { OutcomeUnknown } from '../../platform/event-sourcing/event-store.js';
import { Clock } from '../../kernel/clock.js';
import { type ChargeCommand } from './domain/wallet-command.js';
import { InstancePresence } from '../../platform/database/instance-presence.js';
import { ChargesInHand } from './charges-in-hand.js';
import { WalletStream } from './wallet-stream.js';

/** Milliseconds that a lookup waits for its charge. A charge that is committed later is refunded. */
const CHARGE_TIMEOUT_MS = 10_000;

export type Charge = Omit<ChargeCommand, 'kind' | 'at' | 'actor'>;

/** The outcome of the charge is unknown. If it turns out to be committed, it is refunded. */
export class ChargeUncertain extends ApiError {
  override name = 'ChargeUncertain';

  /** @param cause is logged */
  constructor(override readonly cause: OutcomeUnknown) {
    super('unavailable', {
      message: 'The charge could not be confirmed in time and is refunded if it was made. Please retry with backoff.',
    });
  }
}

/**
 * Appends the debit and, if the lookup grants one, the consent, in one append.
 * @throws Rejection `insufficient_balance`
 * @throws ChargeUncertain if the outcome is unknown after 10 s, or if the event store did not report it
 */
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
    private readonly inHand: ChargesInHand,
    private readonly presence: InstancePresence,
  ) {}

  /** The caller must settle or refund the charge, or release it from the charges in hand. */
  async execute({ charge, mode }: ChargeLookup): Promise<void> {
    this.inHand.take(charge.lookup_id);
    try {
      await this.charge(charge, mode);
    } catch (error) {
      this.inHand.release(charge.lookup_id);
      throw error;
    }
  }

  private async charge(charge: Charge, mode: 'live' | 'sandbox'): Promise<void> {
    const command: ChargeCommand = { ...charge, kind: 'charge', at: this.clock.iso(), actor: `key:${charge.key_id}` };
    const timeout = new AbortController();
    const append = this.stream.execute(charge.partner_id, command, {
      mode,
      instance: this.presence.instance,
      signal: timeout.signal,
    });
    const late = Promise.withResolvers<'late'>();
    const cancel = this.clock.after(CHARGE_TIMEOUT_MS, () => {
      late.resolve('late');
    });
    try {
      if ((await Promise.race([append, late.promise])) !== 'late') return;
    } catch (error) {
      throw error instanceof OutcomeUnknown ? new ChargeUncertain(error) : error;
    } finally {
      cancel();
    }
    timeout.abort();
    // If this refund fails, the sweep of stale charges makes it.
    append.then(() => this.refund(charge)).catch(() => undefined);
    throw new ChargeUncertain(new OutcomeUnknown(`The charge was not confirmed within ${CHARGE_TIMEOUT_MS} ms.`));
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
