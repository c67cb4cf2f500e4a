import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../http/errors/api-error.js';
import { Clock } from '../../../kernel/clock.js';
import { type Mode } from '../../../kernel/accounts.js';
import { InstancePresence } from '../../../platform/database/instances/instance-presence.js';
import { OutcomeUnknown, StoreClosed, StoreUnavailable } from '../../../platform/event-sourcing/event-store.js';
import { StreamContended, type CommandContext, type CommandResult } from '../../../platform/event-sourcing/writing/batch.js';
import { inSpan } from '../../../platform/tracing/spans.js';
import { chargeOutcome, type ResponseState, STALE_AFTER_MS } from '../domain/charge-outcome.js';
import { type ChargeCommand, WalletRejection } from '../domain/wallet-command.js';
import { type WalletEvent } from '../domain/events.js';
import { WALLET_STREAMS, type WalletState } from '../domain/wallet.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { EarlierKeys } from './earlier-keys.js';

/** Milliseconds that a lookup waits for its charge. A charge that is committed later is refunded. */
const CHARGE_TIMEOUT_MS = 10_000;
/** Milliseconds that a settlement waits, so that it can be committed together with another append to the same wallet. */
const SETTLEMENT_DELAY_MS = 2_000;
/** Milliseconds in which a process that lives has settled the charge of a response that it stored. */
const SETTLED_AFTER_MS = SETTLEMENT_DELAY_MS + 1_000;
const RETRY_MS = 500;
/** Attempts at a charge whose wallet moved on while its earlier keys were read. */
const KEY_ATTEMPTS = 5;

export type Charge = Omit<ChargeCommand, 'kind' | 'at' | 'actor' | 'earlier_keys'>;

/** The lookups that were charged, and the balance right after that. */
export interface Charged {
  /** Ids of the lookups that were charged: all, or with `allow_partial` those for which the balance was enough. */
  readonly lookup_ids: ReadonlySet<string>;
  readonly balance_kobo: number;
}

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
   * Appends the debits of a call's lookups and the consents that they grant in one append, all or none of them unless it allows a part. The
   * caller must close the charges, or abandon them.
   * @throws Rejection `insufficient_balance`, `response_lost` if the lookup's Idempotency-Key was charged within a day, `key_in_use` if a
   *   charge with that key is open
   * @throws ChargeUncertain if the outcome is unknown after 10 s, or if the event store did not report it
   */
  async make(charge: Charge, mode: Mode): Promise<Charged> {
    const lookupIds = charge.lookups.map(({ lookup_id }) => lookup_id);
    for (const id of lookupIds) this.responses.set(id, 'pending');
    try {
      const charged = await inSpan(
        'ChargeLookup',
        () => ({}),
        () => this.charge(charge, lookupIds, mode),
      );
      this.abandon(lookupIds.filter((id) => !charged.lookup_ids.has(id)));
      return charged;
    } catch (error) {
      this.abandon(lookupIds);
      throw error;
    }
  }

  /** Returns the balance of a wallet, read from the log. Integer kobo. */
  async balanceOf(partnerId: string): Promise<number> {
    return (await this.streams.of(WALLET_STREAMS).load(partnerId)).state.balance_kobo;
  }

  /** Leaves open charges to the sweep: this process sends no response for them any more. */
  abandon(lookupIds: readonly string[]): void {
    for (const id of lookupIds) this.responses.delete(id);
  }

  /** Returns what this process knows about the response of a charge that it made. */
  responseOf(lookupId: string): ResponseState {
    return this.responses.get(lookupId) ?? 'abandoned';
  }

  /** Notes that the responses of charges are stored. The charges will be settled, whatever becomes of the responses' rows. */
  noteStored(lookupIds: readonly string[]): void {
    for (const id of lookupIds) if (this.responses.has(id)) this.responses.set(id, 'stored');
  }

  /**
   * Refunds the charges that an earlier holder of an Idempotency-Key's lease left open. Somebody may have edited the row that says so: the
   * process that stored the response settles the charge within seconds, and is waited for.
   */
  async refundAbandoned(partnerId: string, lookupIds: readonly string[]): Promise<void> {
    if (lookupIds.some((id) => chargeOutcome(this.responseOf(id)) === 'settle')) return;
    const { open } = (await this.streams.of(WALLET_STREAMS).load(partnerId)).state;
    if (!lookupIds.some((id) => open.has(id))) return;
    await this.clock.delay(SETTLED_AFTER_MS);
    await this.closeAll(partnerId, lookupIds, 'abandoned');
  }

  /**
   * Settles or refunds the charges of a call, in one append. A settlement is deferred, and repeated for a minute while the event store is away. A retry is harmless,
   * since settling a closed charge appends nothing. After that minute the sweep of this process settles the charges.
   */
  async close(partnerId: string, lookupIds: readonly string[], response: ResponseState): Promise<void> {
    if (chargeOutcome(response) !== 'settle') {
      await this.closeAll(partnerId, lookupIds, response);
      return;
    }
    for (const id of lookupIds) this.responses.set(id, response);
    const startedAt = this.clock.elapsedMs();
    // The charges of a list are many already, so their settlement gains little by waiting for others.
    const deferMs = lookupIds.length > 1 ? 0 : SETTLEMENT_DELAY_MS;
    for (;;) {
      try {
        await this.closeAll(partnerId, lookupIds, response, { deferMs });
        return;
      } catch (error) {
        if (error instanceof StreamContended) continue;
        const isFinal = !(error instanceof StoreUnavailable) || error instanceof StoreClosed;
        if (isFinal || this.clock.elapsedMs() - startedAt > STALE_AFTER_MS) throw error;
        await this.clock.delay(RETRY_MS);
      }
    }
  }

  /** Settles or refunds charges of one wallet, in one append. Returns how many entries that took, and the balance after them. */
  async closeAll(
    partner_id: string,
    lookup_ids: readonly string[],
    response: ResponseState,
    context: { readonly deferMs?: number } = {},
  ): Promise<{ readonly entries: number; readonly balance_kobo: number | undefined }> {
    const outcome = chargeOutcome(response);
    if (outcome === 'wait') return { entries: 0, balance_kobo: undefined };
    const closing = { partner_id, lookup_ids, at: this.clock.iso(), actor: 'service' };
    const isSettled = outcome === 'settle';
    // If a refund fails, the sweep makes it. A settlement that fails is still known to this process, so that its sweep refunds nothing.
    if (!isSettled) this.abandon(lookup_ids);
    const { events, state } = await this.streams
      .of(WALLET_STREAMS)
      .execute(partner_id, isSettled ? { kind: 'settle', ...closing } : { kind: 'refund', reason: outcome.refund, ...closing }, context);
    this.abandon(lookup_ids);
    return { entries: events.length, balance_kobo: state.balance_kobo };
  }

  /** Appends a charge. The state of a wallet does not know the keys of its earlier charges: they are read when a charge needs them first. */
  private async append(command: ChargeCommand, context: CommandContext): Promise<CommandResult<WalletState, WalletEvent>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { partner_id } = command;
        const earlier_keys = this.earlierKeys.of(partner_id);
        return await this.streams.of(WALLET_STREAMS).execute(partner_id, { ...command, earlier_keys }, context);
      } catch (error) {
        if (!(error instanceof WalletRejection && error.code === 'key_history_moved') || attempt === KEY_ATTEMPTS) throw error;
        await this.earlierKeys.search(command.partner_id, error.facts.before as bigint, command.at);
      }
    }
  }

  private async charge(charge: Charge, lookupIds: readonly string[], mode: Mode): Promise<Charged> {
    const command: ChargeCommand = { ...charge, kind: 'charge', at: this.clock.iso(), actor: `key:${charge.key_id}` };
    const timeout = new AbortController();
    const append = this.append(command, {
      mode,
      instance: this.presence.instance,
      signal: timeout.signal,
    });
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<typeof append> | 'late'>();
    append.then(resolve, reject);
    const cancel = this.clock.after(CHARGE_TIMEOUT_MS, () => {
      resolve('late');
    });
    try {
      const result = await promise;
      // A charge that is made already leads to no events, but is open.
      if (result !== 'late')
        return { lookup_ids: new Set(lookupIds.filter((id) => result.state.open.has(id))), balance_kobo: result.state.balance_kobo };
    } catch (error) {
      throw error instanceof OutcomeUnknown ? new ChargeUncertain(error) : error;
    } finally {
      cancel();
    }
    timeout.abort();
    // If this refund fails, the sweep of stale charges makes it.
    append.then(() => this.closeAll(charge.partner_id, lookupIds, 'charged too late')).catch(() => undefined);
    throw new ChargeUncertain(new OutcomeUnknown(`The charge was not confirmed within ${CHARGE_TIMEOUT_MS} ms.`));
  }
}
