import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { compensationOf, debitOf } from '../../../../projections/wallet-entry/charged-lookups.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { asRecorded, Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { parseTraceparent } from '../../../platform/tracing/spans.js';
import { toNaira } from '../../../kernel/money.js';
import { chargedSections } from '../listing/get-lookups.query.js';
import { keyIdOf, type WalletDebited, type WalletEvent, walletStreamOf } from '../../wallet/domain/events.js';

type Outcome =
  | { readonly status: 'open' }
  | { readonly status: 'settled'; readonly at: string; readonly revision: number }
  | { readonly status: 'refunded' | 'compensated'; readonly at: string; readonly revision: number; readonly reason: string };

/** A charged lookup: the partner, the key, the fees and the outcome of the charge. Amounts are in NGN. */
export interface LookupExplanation {
  readonly lookup_id: string;
  /** `X-Request-Id` of the lookup's response. */
  readonly request_id: string;
  /** Trace of the request (W3C Trace Context); null if it was not traced. */
  readonly trace_id: string | null;
  readonly partner: { readonly partner_id: string; readonly company_name: string; readonly account_type: string; readonly mode: string };
  readonly key: { readonly key_id: string; readonly label: string | null };
  readonly rupa_id: string;
  readonly source: string;
  readonly charged_at: string;
  /** Revision of the debit in the partner's wallet. */
  readonly revision: number;
  readonly hash: string;
  readonly sections: readonly string[];
  readonly amount: number;
  readonly breakdown: Readonly<Record<string, number>>;
  readonly price_book_version: number;
  /** True if this was the partner's first lookup of the farmer, or its first after a release of the consent. */
  readonly consent_granted: boolean;
  readonly outcome: Outcome;
  /** The events of the lookup in the log, in their order. */
  readonly events: readonly LookupEvent[];
}

/** An event of the wallet's stream, without its data. */
export interface LookupEvent {
  readonly stream: string;
  readonly revision: number;
  /** Position in $all, as decimal text. */
  readonly position: string;
  readonly type: WalletEvent['type'];
  readonly recorded_at: string;
}

/** Explains a charged lookup; the result is undefined for a lookup that was never charged. */
export class ExplainLookup extends Query<LookupExplanation | undefined> {
  constructor(readonly lookupId: string) {
    super();
  }
}

const ENTRIES_PER_PAGE = 256;
const { name: READ_MODEL } = walletEntryProjection;
const DISAGREE = `The read model ${READ_MODEL} and the log disagree about this lookup. Run \`rupa projections rebuild ${READ_MODEL}\`.`;

@QueryHandler(ExplainLookup)
export class ExplainLookupHandler implements IQueryHandler<ExplainLookup> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly readModels: ReadModels,
  ) {}

  /** Finds the debit by the read model and reads everything else from the log. */
  async execute({ lookupId }: ExplainLookup): Promise<LookupExplanation | undefined> {
    await this.readModels.waitForLog([walletEntryProjection]);
    const located = await debitOf(this.pool, lookupId);
    if (!located) return undefined;
    const { debit, events, outcome } = await this.readCharge(walletStreamOf(located.partner_id), BigInt(located.revision), lookupId);
    const key_id = keyIdOf(debit.data);
    const { rupa_id, source, recorded_at, amount_kobo, breakdown_kobo, price_book_version } = debit.data;
    const [compensation, partner, key] = await Promise.all([
      this.compensationOf(located.partner_id, lookupId),
      this.firstEventData(`partner-${located.partner_id}`),
      this.firstEventData(`apikey-${key_id}`),
    ]);
    const { company_name, account_type, mode } = partner as { company_name: string; account_type: string; mode: string };
    return {
      lookup_id: lookupId,
      request_id: debit.metadata.$correlationId,
      trace_id: parseTraceparent(debit.metadata.traceparent)?.traceId ?? null,
      partner: { partner_id: located.partner_id, company_name, account_type, mode },
      key: { key_id, label: (key.label ?? null) as string | null },
      rupa_id,
      source,
      charged_at: recorded_at,
      revision: located.revision,
      hash: debit.metadata.hash ?? '',
      sections: chargedSections(breakdown_kobo),
      amount: toNaira(amount_kobo),
      breakdown: Object.fromEntries(Object.entries(breakdown_kobo).map(([fee, kobo]) => [fee, toNaira(kobo)])),
      price_book_version,
      consent_granted: events.some(({ type }) => type === 'ConsentGranted'),
      outcome: compensation?.outcome ?? outcome,
      events: [...events, ...(compensation ? [compensation.event] : [])].map(eventView),
    };
  }

  /** Reads the wallet from the debit on, until the entry that settles or refunds it. */
  private async readCharge(stream: string, from: bigint, lookupId: string) {
    let debit: RecordedEvent<WalletDebited> | undefined;
    const events: RecordedEvent<WalletEvent>[] = [];
    let outcome: Outcome = { status: 'open' };
    const genuine = new GenuineEvents(this.eventStore, this.codec);
    for await (const page of this.eventStore.streamPages(stream, from, ENTRIES_PER_PAGE)) {
      for (const event of (await genuine.decode(page)).map((each) => asRecorded<WalletEvent>(each))) {
        if (event.type === 'WalletDebited' && event.revision === from) debit = event;
        const end = outcomeIn(event, lookupId);
        const isConsent = event.type === 'ConsentGranted' && event.data.lookup_id === lookupId;
        if (event === debit || isConsent || end) events.push(event);
        outcome = end ?? outcome;
        if (outcome.status !== 'open') break;
      }
      if (outcome.status !== 'open') break;
    }
    if (debit?.data.lookup_id !== lookupId) throw new Error(DISAGREE);
    return { debit, events, outcome };
  }

  /** Returns the compensation of a settled lookup. It may follow after millions of entries, so the read model finds it. */
  private async compensationOf(partnerId: string, lookupId: string) {
    const found = await compensationOf(this.pool, partnerId, lookupId);
    if (!found) return undefined;
    const event = await this.eventStore.eventIn(walletStreamOf(partnerId), BigInt(found.revision));
    if (event?.type !== 'LookupCompensated') throw new Error(DISAGREE);
    const outcome: Outcome = { status: 'compensated', ...found };
    return { outcome, event: asRecorded<WalletEvent>(event) };
  }

  private async firstEventData(stream: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.eventStore.readStream(stream, { maxCount: 1 }))[0]?.data ?? {};
  }
}

function eventView({ stream, revision, position, type, data }: RecordedEvent<WalletEvent>): LookupEvent {
  return { stream, revision: Number(revision), position: position.toString(), type, recorded_at: data.recorded_at };
}

function outcomeIn(event: RecordedEvent<WalletEvent>, lookupId: string): Outcome | undefined {
  const [at, revision] = [event.data.recorded_at, Number(event.revision)];
  switch (event.type) {
    case 'ChargesSettled':
      return event.data.charges.some(({ lookup_id }) => lookup_id === lookupId) ? { status: 'settled', at, revision } : undefined;
    case 'RefundIssued':
      return event.data.lookup_id === lookupId ? { status: 'refunded', at, revision, reason: event.data.reason } : undefined;
    case 'WalletCredited':
    case 'CreditReversed':
    case 'WalletPaidOut':
    case 'WalletDebited':
    case 'ConsentGranted':
    case 'LookupCompensated':
      return undefined;
  }
}
