import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../http/errors/api-error.js';
import { Clock } from '../../../kernel/clock.js';
import { type Mode } from '../../../kernel/accounts.js';
import { InstancePresence } from '../../../platform/database/instances/instance-presence.js';
import { OutcomeUnknown, StoreClosed, StoreUnavailable } from '../../../platform/event-sourcing/event-store.js';
import { StreamContended } from '../../../platform/event-sourcing/writing/queued-commands.js';
import { inSpan } from '../../../platform/tracing/spans.js';
import { chargeOutcome, type ResponseState, STALE_AFTER_MS } from '../domain/charge-outcome.js';
import { type ChargeCommand, WalletRejection } from '../domain/wallet-command.js';
import { WALLET_STREAMS } from '../domain/wallet.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';
import { type CommandContext } from '../../../platform/event-sourcing/writing/batch.js';
import { EarlierKeys } from './earlier-keys.js';

/** Milliseconds that a lookup waits for its charge. A charge that is committed later is refunded. */
const CHARGE_TIMEOUT_MS = 10_000;
/** Milliseconds that a settlement waits, so that it can be committed together with another append to the same wallet. */
const SETTLEMENT_DELAY_MS = 2_000;
const RETRY_MS = 500;
/** Attempts at a charge whose wallet moved on while its earlier keys were read. */
const KEY_ATTEMPTS = 5;

export type Charge = Omit<ChargeCommand, 'kind' | 'at' | 'actor' | 'earlier_keys'>;

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

/** Makes the charges of lookups, and closes each by what became of its response (domain/charge-outcome.ts). */
@Injectable()
export class Charges {
  /**
   * The responses of the charges that this process made and has yet to close. Without an Idempotency-Key, nothing else tells whether a
   * response was sent; other instances therefore leave these charges alone while this process exists.
   */
  private readonly responses = new Map<string, ResponseState>();

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly presence: InstancePresence,
    private readonly earlierKeys: EarlierKeys,
  ) {}

  /**
   * Appends the debit and, if the lookup grants one, the consent, in one append. The caller must close the charge, or abandon it.
   * @throws Rejection `insufficient_balance`, `response_lost` if the lookup's Idempotency-Key was charged within a day, `key_in_use` if a
   *   charge with that key is open
   * @throws ChargeUncertain if the outcome is unknown after 10 s, or if the event store did not report it
   */
  async make(charge: Charge, mode: Mode): Promise<void> {
    this.responses.set(charge.lookup_id, 'pending');
    try {
      await inSpan(
        'ChargeLookup',
        () => ({}),
        () => this.charge(charge, mode),
      );
    } catch (error) {
      this.abandon(charge.lookup_id);
      throw error;
    }
  }

  /** Leaves an open charge to the sweep: this process sends no response for it any more. */
  abandon(lookupId: string): void {
    this.responses.delete(lookupId);
  }

  /** Returns what this process knows about the response of a charge that it made. */
  responseOf(lookupId: string): ResponseState {
    return this.responses.get(lookupId) ?? 'abandoned';
  }

  /**
   * Settles or refunds a charge. A settlement is deferred, and repeated for a minute while the event store is away. A retry is harmless,
   * since settling a closed charge appends nothing. After that minute the sweep of this process settles the charge.
   */
  async close(partnerId: string, lookupId: string, response: ResponseState): Promise<void> {
    if (chargeOutcome(response) !== 'settle') {
      await this.closeAll(partnerId, [lookupId], response);
      return;
    }
    this.responses.set(lookupId, response);
    const startedAt = this.clock.elapsedMs();
    for (;;) {
      try {
        await this.closeAll(partnerId, [lookupId], response, { deferMs: SETTLEMENT_DELAY_MS });
        return;
      } catch (error) {
        if (error instanceof StreamContended) continue;
        const isFinal = !(error instanceof StoreUnavailable) || error instanceof StoreClosed;
        if (isFinal || this.clock.elapsedMs() - startedAt > STALE_AFTER_MS) throw error;
        await this.clock.delay(RETRY_MS);
      }
    }
  }

  /** Settles or refunds charges of one wallet, in one append. Returns how many of them were open. */
  async closeAll(
    partner_id: string,
    lookup_ids: readonly string[],
    response: ResponseState,
    context: { readonly deferMs?: number } = {},
  ): Promise<number> {
    const outcome = chargeOutcome(response);
    if (outcome === 'wait') return 0;
    const closing = { partner_id, lookup_ids, at: this.clock.iso(), actor: 'service' };
    const isSettled = outcome === 'settle';
    const forget = (): void => {
      for (const id of lookup_ids) this.responses.delete(id);
    };
    // If a refund fails, the sweep makes it. A settlement that fails is still known to this process, so that its sweep refunds nothing.
    if (!isSettled) forget();
    const { events } = await this.streams
      .of(WALLET_STREAMS)
      .execute(partner_id, isSettled ? { kind: 'settle', ...closing } : { kind: 'refund', reason: outcome.refund, ...closing }, context);
    forget();
    return events.length;
  }

  /** Appends a charge. The state of a wallet does not know the keys of its earlier charges: they are read when a charge needs them first. */
  private async append(command: ChargeCommand, context: CommandContext): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { partner_id } = command;
        await this.streams.of(WALLET_STREAMS).execute(partner_id, { ...command, earlier_keys: this.earlierKeys.of(partner_id) }, context);
        return;
      } catch (error) {
        if (!(error instanceof WalletRejection && error.code === 'key_history_moved') || attempt === KEY_ATTEMPTS) throw error;
        await this.earlierKeys.search(command.partner_id, error.facts.before as bigint, command.at);
      }
    }
  }

  private async charge(charge: Charge, mode: Mode): Promise<void> {
    const command: ChargeCommand = { ...charge, kind: 'charge', at: this.clock.iso(), actor: `key:${charge.key_id}` };
    const timeout = new AbortController();
    const append = this.append(command, {
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
    append.then(() => this.closeAll(charge.partner_id, [charge.lookup_id], 'charged too late')).catch(() => undefined);
    throw new ChargeUncertain(new OutcomeUnknown(`The charge was not confirmed within ${CHARGE_TIMEOUT_MS} ms.`));
  }
}
