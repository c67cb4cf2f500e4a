import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { CommandAbandoned } from '../../../platform/event-sourcing/writing/batch.js';
import { type StoredEvent, type TimedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { newestMove } from '../../../platform/log-moving/record-move.js';
import { SkippedEvents } from '../../../platform/unusable-events/skipped-events.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { PriceHistory, publishedPriceBooks } from '../../pricing/public.js';
import { type ChainedEntry, type ChainHead, type WalletVerification, WalletVerifier } from '../domain/verify-wallet.js';
import { type WalletVerificationView } from '../wallet-responses.dto.js';

export interface VerifyOptions {
  /** A head that was noted earlier and must still be in the chain. */
  readonly since?: ChainHead | undefined;
  /** Stops the reading when it is aborted. */
  readonly signal?: AbortSignal;
  /** Called after each page with its number of entries. */
  readonly onPage?: (entries: number) => void;
}

/**
 * Reads a wallet from the log, not from a read model, and checks every rule.
 * @throws CommandAbandoned if the signal is aborted
 */
export class VerifyWallet extends Query<WalletVerification> {
  constructor(
    readonly partnerId: string,
    readonly options: VerifyOptions = {},
  ) {
    super();
  }
}

@QueryHandler(VerifyWallet)
export class VerifyWalletHandler implements IQueryHandler<VerifyWallet> {
  private readonly skipped: SkippedEvents;

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {
    this.skipped = new SkippedEvents(eventStore);
  }

  async execute({ partnerId, options: { since, signal, onPage } }: VerifyWallet): Promise<WalletVerification> {
    const stream = `wallet-${partnerId}`;
    const prices = new PriceHistory();
    const verifier = new WalletVerifier(stream, prices, since);
    const moved = await newestMove(this.eventStore, this.codec);
    for await (const page of this.eventStore.streamPages(stream)) {
      if (signal?.aborted) throw new CommandAbandoned('The caller had given up.');
      // A wallet without debits needs no prices, and others may have been published while the wallet was read.
      if (page.some((entry) => entry.type === 'WalletDebited' && !prices.has(priceVersionOf(entry)))) await this.addPrices(prices);
      const valid = await this.verifyPage(verifier, page, moved);
      onPage?.(page.length);
      if (!valid) break;
    }
    const { rows } = await this.pool.query<{ now: string }>('select clock_timestamp() as now');
    return verifier.result(rows[0]?.now ?? '');
  }

  private async addPrices(prices: PriceHistory): Promise<void> {
    for await (const book of publishedPriceBooks(this.eventStore, this.codec)) prices.add(book);
  }

  /**
   * Adds the entries of a page, up to the first fault. Returns whether there is none.
   * @param moved position of the newest move of the log, which gave the entries before it another time of recording
   */
  private async verifyPage(verifier: WalletVerifier, page: readonly TimedEvent[], moved: bigint): Promise<boolean> {
    const { unusable } = this.codec.sort(page);
    const reasons = new Map(unusable.map(({ event, reason }) => [event, reason]));
    for (const entry of page) {
      const reason = reasons.get(entry);
      const isSkipped = reason !== undefined && (await this.skipped.has(entry));
      const createdMs = entry.position < moved ? undefined : entry.createdMs;
      const hashed: ChainedEntry = { ...asHashed(this.codec, entry), createdMs };
      if (!(isSkipped ? verifier.skip(entry.revision) : verifier.add(hashed, reason))) return false;
    }
    return true;
  }
}

/** Returns the version of the price book that an entry names. The data of a forged entry may be anything. */
function priceVersionOf({ data }: { readonly data: StoredEvent['data'] | null }): number {
  return Number(data?.price_book_version);
}

/** A later release's event has a version that this one cannot expand. */
function asHashed(codec: Codec, entry: StoredEvent): StoredEvent {
  try {
    return codec.inFull(entry);
  } catch {
    return entry;
  }
}

/** Returns the verification as the API and `rupa wallet verify --json` show it. */
export function verificationView({ fault, skipped, ...rest }: WalletVerification): WalletVerificationView {
  return {
    ...rest,
    ...(skipped.length > 0 ? { skipped } : {}),
    fault: fault && { revision: fault.revision, rule: fault.rule, message: fault.message },
  };
}
