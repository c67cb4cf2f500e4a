import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { asRecorded, Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { type RecordedEvent } from '../../platform/event-sourcing/recorded-event.js';
import { POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { toNaira } from '../../kernel/money.js';
import { chargedSections } from './charged-sections.js';
import { type WalletDebited, type WalletEvent } from './domain/events.js';

type Outcome =
  | { readonly status: 'open' }
  | { readonly status: 'settled'; readonly at: string; readonly revision: number }
  | { readonly status: 'refunded' | 'compensated'; readonly at: string; readonly revision: number; readonly reason: string };

/** A charged lookup: the partner, the key, the fees and the outcome of the charge. Amounts are in NGN. */
export interface LookupExplanation {
  readonly lookup_id: string;
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
}

/** Explains a charged lookup; the result is undefined for a lookup that was never charged. */
export class ExplainLookup extends Query<LookupExplanation | undefined> {
  constructor(readonly lookupId: string) {
    super();
  }
}

/** Explains the lookups that were charged for a request, which have its id in common. There are none for a request that charged nothing. */
export class ExplainRequest extends Query<readonly LookupExplanation[]> {
  constructor(readonly requestId: string) {
    super();
  }
}

const ENTRIES_PER_PAGE = 256;
/** A partner may choose its request ids, and send one of them again and again. */
const LOOKUPS_OF_REQUEST = 20;

@QueryHandler(ExplainLookup)
export class ExplainLookupHandler implements IQueryHandler<ExplainLookup> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly readModels: ReadModels,
  ) {}

  /** Finds the debit by the read model and reads everything else from the log. */
  async execute({ lookupId }: ExplainLookup): Promise<LookupExplanation | undefined> {
    await this.readModels.waitForAll();
    const { rows } = await this.pool.query<{ partner_id: string; revision: number }>(
      `select partner_id, revision from read.wallet_entry where lookup_id = $1 and type = 'WalletDebited' order by recorded_at desc limit 1`,
      [lookupId],
    );
    const [located] = rows;
    if (!located) return undefined;
    const { debit, consented, outcome } = await this.readCharge(`wallet-${located.partner_id}`, BigInt(located.revision), lookupId);
    const { key_id, rupa_id, source, recorded_at, amount_kobo, breakdown_kobo, price_book_version } = debit.data;
    const [partner, key] = await Promise.all([
      this.firstEventData(`partner-${located.partner_id}`),
      this.firstEventData(`apikey-${key_id}`),
    ]);
    const { company_name, account_type, mode } = partner as { company_name: string; account_type: string; mode: string };
    return {
      lookup_id: lookupId,
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
      consent_granted: consented,
      outcome: (await this.compensationOf(located.partner_id, lookupId)) ?? outcome,
    };
  }

  /** Reads the wallet from the debit on, until the entry that settles or refunds it. */
  private async readCharge(stream: string, from: bigint, lookupId: string) {
    let debit: RecordedEvent<WalletDebited> | undefined;
    let consented = false;
    let outcome: Outcome = { status: 'open' };
    for await (const page of this.eventStore.streamPages(stream, from, ENTRIES_PER_PAGE)) {
      for (const event of (await this.codec.decode(page)).map((each) => asRecorded<WalletEvent>(each))) {
        if (event.type === 'WalletDebited' && event.revision === from) debit = event;
        if (event.type === 'ConsentGranted' && event.data.lookup_id === lookupId) consented = true;
        outcome = outcomeIn(event, lookupId) ?? outcome;
        if (outcome.status !== 'open') break;
      }
      if (outcome.status !== 'open') break;
    }
    if (debit?.data.lookup_id !== lookupId)
      throw new Error('The read model wallet_entry and the log disagree about this lookup. Run `rupa projections rebuild wallet_entry`.');
    return { debit, consented, outcome };
  }

  /** Returns the compensation of a settled lookup. It may follow after millions of entries, so the read model finds it. */
  private async compensationOf(partnerId: string, lookupId: string): Promise<Outcome | undefined> {
    const { rows } = await this.pool.query<{ at: string; revision: number; reason: string }>(
      `select recorded_at as at, revision, reason from read.wallet_entry
       where partner_id = $1 and lookup_id = $2 and type = 'LookupCompensated'`,
      [partnerId, lookupId],
    );
    return rows[0] && { status: 'compensated', ...rows[0] };
  }

  private async firstEventData(stream: string): Promise<Readonly<Record<string, unknown>>> {
    return (await this.eventStore.readStream(stream, { maxCount: 1 }))[0]?.data ?? {};
  }
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
    case 'WalletDebited':
    case 'ConsentGranted':
    case 'LookupCompensated':
      return undefined;
  }
}

@QueryHandler(ExplainRequest)
export class ExplainRequestHandler implements IQueryHandler<ExplainRequest> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly lookups: ExplainLookupHandler,
  ) {}

  async execute({ requestId }: ExplainRequest): Promise<readonly LookupExplanation[]> {
    await this.readModels.waitForAll();
    const { rows } = await this.pool.query<{ lookup_id: string }>(
      `select lookup_id from read.wallet_entry where request_id = $1 order by recorded_at desc limit ${LOOKUPS_OF_REQUEST}`,
      [requestId],
    );
    const found = await Promise.all(rows.map(({ lookup_id }) => this.lookups.execute(new ExplainLookup(lookup_id))));
    return found.flatMap((each) => (each ? [each] : []));
  }
}
