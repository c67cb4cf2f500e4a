import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { asRecorded, Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { type RecordedEvent } from '../../platform/event-sourcing/recorded-event.js';
import { POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { toNaira } from '../../kernel/money.js';
import { type WalletDebited, type WalletEvent } from './domain/events.js';

type Outcome =
  | { readonly status: 'open' }
  | { readonly status: 'settled'; readonly at: string; readonly revision: number }
  | { readonly status: 'refunded'; readonly at: string; readonly revision: number; readonly reason: string };

/** Who was charged what, when and for what, and what became of the charge. Money is in NGN. */
export interface LookupExplanation {
  readonly lookup_id: string;
  readonly partner: { readonly partner_id: string; readonly company_name: string; readonly account_type: string; readonly mode: string };
  readonly key: { readonly key_id: string; readonly label: string | null };
  readonly rupa_id: string;
  readonly source: string;
  readonly charged_at: string;
  /** Of the debit, in the partner's wallet. */
  readonly revision: number;
  readonly hash: string;
  readonly sections: readonly string[];
  readonly amount: number;
  readonly breakdown: Readonly<Record<string, number>>;
  readonly price_book_version: number;
  /** It was the first of its farmer, or the first after a release. */
  readonly consent_granted: boolean;
  readonly outcome: Outcome;
}

/** Everything about a charged lookup; undefined for one that was never charged. */
export class ExplainLookup extends Query<LookupExplanation | undefined> {
  constructor(readonly lookupId: string) {
    super();
  }
}

const ENTRIES_A_PAGE = 256;
const SECTION_FEE = 'svc_fee.';

@QueryHandler(ExplainLookup)
export class ExplainLookupHandler implements IQueryHandler<ExplainLookup> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly readModels: ReadModels,
  ) {}

  /** The read model tells where to look; what is answered is read from the log. */
  async execute({ lookupId }: ExplainLookup): Promise<LookupExplanation | undefined> {
    await this.readModels.showAll();
    const { rows } = await this.pool.query<{ partner_id: string; revision: number }>(
      `select partner_id, revision from read.wallet_entry where lookup_id = $1 and type = 'WalletDebited' order by recorded_at desc limit 1`,
      [lookupId],
    );
    const [place] = rows;
    if (!place) return undefined;
    const { debit, consented, outcome } = await this.follow(`wallet-${place.partner_id}`, BigInt(place.revision), lookupId);
    const { key_id, rupa_id, source, recorded_at, amount_kobo, breakdown_kobo, price_book_version } = debit.data;
    const [partner, key] = await Promise.all([this.first(`partner-${place.partner_id}`), this.first(`apikey-${key_id}`)]);
    const { company_name, account_type, mode } = partner as { company_name: string; account_type: string; mode: string };
    return {
      lookup_id: lookupId,
      partner: { partner_id: place.partner_id, company_name, account_type, mode },
      key: { key_id, label: (key.label ?? null) as string | null },
      rupa_id,
      source,
      charged_at: recorded_at,
      revision: place.revision,
      hash: debit.metadata.hash ?? '',
      sections: Object.keys(breakdown_kobo).flatMap((fee) => (fee.startsWith(SECTION_FEE) ? [fee.slice(SECTION_FEE.length)] : [])),
      amount: toNaira(amount_kobo),
      breakdown: Object.fromEntries(Object.entries(breakdown_kobo).map(([fee, kobo]) => [fee, toNaira(kobo)])),
      price_book_version,
      consent_granted: consented,
      outcome,
    };
  }

  /** From the debit on, until its end is found. */
  private async follow(stream: string, from: bigint, lookupId: string) {
    let debit: RecordedEvent<WalletDebited> | undefined;
    let consented = false;
    let outcome: Outcome = { status: 'open' };
    for await (const page of this.eventStore.streamPages(stream, from, ENTRIES_A_PAGE)) {
      for (const event of (await this.codec.decode(page)).map((each) => asRecorded<WalletEvent>(each))) {
        if (event.type === 'WalletDebited' && event.revision === from) debit = event;
        if (event.type === 'ConsentGranted' && event.data.lookup_id === lookupId) consented = true;
        outcome = outcomeIn(event, lookupId) ?? outcome;
        if (outcome.status !== 'open') break;
      }
      if (outcome.status !== 'open') break;
    }
    if (debit?.data.lookup_id !== lookupId) throw new Error('The read model and the log disagree about this lookup. Rebuild wallet_entry.');
    return { debit, consented, outcome };
  }

  private async first(stream: string): Promise<Readonly<Record<string, unknown>>> {
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
    case 'WalletDebited':
    case 'ConsentGranted':
      return undefined;
  }
}
