import { LookupDto, LookupListDto } from '../../src/contexts/lookups/looking-up/lookup.dto.js';
import { CompensationDto, CreditDto, PayoutDto, ReversalDto } from '../../src/contexts/wallet/wallet.dto.js';
import { toNaira } from '../../src/kernel/money.js';
import { validateBody } from '../../src/http/validating/validation.js';
import { ClosedDays } from '../../src/contexts/accounting/books/closed-days.js';
import { ClosePeriod, ClosePeriodHandler, type CloseResult } from '../../src/contexts/accounting/closing/close-period.command.js';
import { MonthReads } from '../../src/contexts/accounting/closing/month-reads.js';
import { LEDGER_STREAMS } from '../../src/contexts/accounting/domain/ledger.js';
import { monthAt } from '../../src/contexts/accounting/domain/month.js';
import { LedgerEntryDto, type LedgerEntryView } from '../../src/contexts/accounting/posting/ledger-entries.dto.js';
import { PostLedgerEntry, PostLedgerEntryHandler } from '../../src/contexts/accounting/posting/post-ledger-entry.command.js';
import { type LogIndex } from '../../src/contexts/evidence/public.js';
import { type ArgumentsHost } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { errorResponses } from '../../src/app/registered-errors.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { EventStore, StoreUnavailable } from '../../src/platform/event-sourcing/event-store.js';
import { ClockGuard } from '../../src/platform/event-sourcing/writing/clock-guard.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { Failures } from '../../src/http/envelope.js';
import { ErrorFilter } from '../../src/http/errors/error.filter.js';
import { type PartnerContext } from '../../src/http/authenticating/partner-context.js';
import { type ReadYourWrites } from '../../src/platform/projecting/in-memory/read-your-writes.js';
import { ReadModels } from '../../src/platform/projecting/read-models.js';
import { type DataKeys, type DataKey } from '../../src/platform/key-store/data-keys.js';
import { type FarmerReader } from '../../src/contexts/lookups/looking-up/farmer-reader.js';
import { type ResponseKey, StoredResponses } from '../../src/contexts/idempotency/stored-responses.js';
import { StoredLists } from '../../src/contexts/idempotency/stored-lists.js';
import { LookUp, LookUpHandler } from '../../src/contexts/lookups/looking-up/look-up.command.js';
import { LookupBilling } from '../../src/contexts/lookups/looking-up/lookup-billing.js';
import { LookupController } from '../../src/contexts/lookups/looking-up/lookup.controller.js';
import { DEFAULT_PRICE_BOOK } from '../../src/contexts/pricing/domain/price-book.js';
import { priceBookInForce, type PublishedPriceBook } from '../../src/contexts/pricing/domain/price-timeline.js';
import { type GetPriceBookHandler } from '../../src/contexts/pricing/showing/get-price-book.query.js';
import { type InstancePresence } from '../../src/platform/database/instances/instance-presence.js';
import { type ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { Charges } from '../../src/contexts/wallet/charging/charges.js';
import { EarlierKeys } from '../../src/contexts/wallet/charging/earlier-keys.js';
import {
  CompensateLookup,
  CompensateLookupHandler,
  type CompensationResult,
} from '../../src/contexts/wallet/crediting/compensate-lookup.command.js';
import { type CreditKind } from '../../src/contexts/wallet/domain/events.js';
import { CreditWallet, CreditWalletHandler, type CreditResult } from '../../src/contexts/wallet/crediting/credit-wallet.command.js';
import { PayOut, PayOutHandler, type PayoutResult } from '../../src/contexts/wallet/crediting/pay-out.command.js';
import { ReverseCredit, ReverseCreditHandler, type ReversalResult } from '../../src/contexts/wallet/crediting/reverse-credit.command.js';
import { StaleCharges } from '../../src/contexts/wallet/charging/stale-charges.js';
import { type FourEyes } from '../../src/contexts/approvals/public.js';
import { type RegisteredPartners } from '../../src/contexts/partners/public.js';
import { WalletDecisions } from '../../src/contexts/wallet/crediting/wallet-decisions.js';
import { WalletHistory } from '../../src/contexts/wallet/verifying/wallet-history.js';
import { type FakeDatabase } from './fake-database.js';
import { type FakeEventStore } from './fake-event-store.js';
import { type FakeReadModels } from './fake-read-models.js';
import { type FakeReply } from './fake-reply.js';
import { EPOCH_MS, type SimulatedProcess } from './process.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { streamsOf } from '../support/streams-of.js';
import { rowMacs } from '../support/row-macs.js';

export const PARTNER = { partner_id: 'p1', key_id: 'k-p1', mode: 'live', allowed_sections: ['bvn_nin_data'] } as unknown as PartnerContext;
const PROFILE = { mode: 'live', bvn_nin_data: null, registered_at: '2026-01-01T00:00:00.000Z' };
const NOT_REPORTED = { reported: undefined, reportedCriteria: { has_harvest: false, has_input_purchase: false } };
/** The price book that is published before each history. The fees are so low that a wallet has money for many lookups. */
export const PRICES = {
  version: 2,
  vat_percent: 7.5,
  fees_kobo: { ...DEFAULT_PRICE_BOOK.fees_kobo, 'svc_fee.bvn_nin_data': 30, 'passthrough.bvn': 15, 'passthrough.nin': 5 },
};
/** The price book that is scheduled before each history and takes effect during it, unpublished. A lookup costs the same, with more VAT in it. */
export const SCHEDULED_PRICES = {
  version: 3,
  vat_percent: 10,
  fees_kobo: { ...PRICES.fees_kobo, 'svc_fee.bvn_nin_data': 31, 'passthrough.bvn': 14 },
  effective_at: new Date(EPOCH_MS + 1_500).toISOString(),
};
/** Every version of the price book. */
export const PRICE_BOOKS: readonly PublishedPriceBook[] = [
  { ...PRICES, published_at: null, effective_at: null, actor: null },
  { ...SCHEDULED_PRICES, published_at: null, actor: null },
];
/** The deadline of a request, as in src/http/limiting/deadline.ts. */
const DEADLINE_MS = 20_000;
const QUIET = { debug: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger;

/** No call needs a second person. */
const NOBODY_ELSE = { register: () => undefined, admit: () => Promise.resolve() } as unknown as FourEyes;

const ISSUER = { issuer: { name: null, address: null, tax_id: null }, prefix: 'RUPA' };
/** The body of a lookup, or of a list of them. */
export type SimulatedLookup =
  | { readonly rupa_id: string; readonly source: string }
  | { readonly rupa_ids: readonly string[]; readonly source: string; readonly allow_partial: boolean };

/** The stores that all instances share. */
export interface Stores {
  readonly eventStore: FakeEventStore;
  readonly database: FakeDatabase;
  readonly readModels: FakeReadModels;
}

/** The service's real handlers in a simulated process, on the shared stores. */
export class Instance {
  private readonly charges: Charges;
  private readonly eventStore: EventStore;
  private readonly sweeper: StaleCharges;
  private sweeping: Promise<void> | undefined;
  private readonly lookups: LookupController;
  private readonly closing: ClosePeriodHandler;
  private readonly posting: PostLedgerEntryHandler;
  private readonly handlers: readonly (readonly [{ readonly prototype: object }, { execute(command: never): Promise<unknown> }])[];
  private readonly errors = new ErrorFilter(QUIET, errorResponses, new Failures('https://rupa.example'));

  constructor(
    readonly process: SimulatedProcess,
    stores: Stores,
  ) {
    const { clock } = process;
    const pool = stores.database.pool(process);
    const commands = { execute: (command: object) => this.execute(command) } as unknown as CommandBus;
    const listener = {
      waitFor: (position: bigint, ms?: number, models?: readonly string[]) => stores.readModels.waitFor(process, position, ms, models),
      hasReached: (position: bigint, models?: readonly string[]) => stores.readModels.hasReached(position, models),
      shownBy: (model: string) => stores.readModels.shownBy(model),
    } as unknown as ReadModelListener;
    const clockGuard = new ClockGuard(clock);
    this.eventStore = new EventStore('', { clock, connect: () => stores.eventStore.connect(process), clockGuard });
    this.compareClocks(clockGuard, stores.database);
    // `maxMissed` is far lower than in the service, so that states are restored while others write, too. A cache takes the memory of all its
    // entries when it is created, with each simulated start; a history has fewer wallets than this.
    const kind = { ...WALLET_STREAMS, maxMissed: 4, cachedStates: 16 };
    const streams = streamsOf(new StreamWriter(this.eventStore, codec, kind, clock));
    const presence = { instance: process.instance, stop: () => Promise.resolve() } as unknown as InstancePresence;
    this.charges = new Charges(streams, clock, presence, new EarlierKeys(this.eventStore, clock));
    this.sweeper = new StaleCharges(streams, clock, this.charges, presence, pool, QUIET);
    const prices = {
      toCharge: (notBefore = '') => Promise.resolve(priceBookInForce(PRICE_BOOKS, [clock.iso(), notBefore].sort().at(-1) ?? '')),
    } as unknown as GetPriceBookHandler;
    const farmers = {
      during: async <T>(lookUp: () => Promise<T>) => await lookUp(),
      inTurn: async <T>(_partnerId: string, work: () => Promise<T>) => await work(),
      find: (requests: readonly { partner_id: string; rupa_id: string }[]) =>
        Promise.all(
          requests.map(async ({ partner_id, rupa_id }) => ({
            profile: { ...PROFILE, rupa_id },
            ...NOT_REPORTED,
            consented: await stores.database.consented(process, partner_id, rupa_id),
          })),
        ),
    } as unknown as FarmerReader;
    const nothingReported = { lateStreamsOf: () => Promise.resolve([]) } as unknown as ReadYourWrites;
    const responses = new StoredResponses(pool, keys, ownKey, rowMacs);
    const lists = new StoredLists(pool, keys, ownKey, rowMacs);
    const billing = new LookupBilling(farmers, nothingReported, prices, this.charges, clock, { publicUrl: '' }, QUIET);
    const history = new WalletHistory(this.eventStore, listener, pool, codec, rowMacs);
    const readModels = new ReadModels(this.eventStore, listener, pool);
    const decisions = new WalletDecisions(streams, history, readModels, NOBODY_ELSE);
    const partners = {} as unknown as RegisteredPartners;
    this.handlers = [
      [LookUp, new LookUpHandler(responses, lists, billing, this.charges)],
      [CreditWallet, new CreditWalletHandler(streams, history, clock, decisions, partners, NOBODY_ELSE)],
      [PayOut, new PayOutHandler(streams, history, clock, decisions, partners, NOBODY_ELSE)],
      [ReverseCredit, new ReverseCreditHandler(history, clock, decisions, partners, NOBODY_ELSE)],
      [CompensateLookup, new CompensateLookupHandler(history, readModels, clock, pool, decisions, partners, NOBODY_ELSE)],
    ];
    const ledger = streamsOf(new StreamWriter(this.eventStore, codec, LEDGER_STREAMS, clock));
    const logIndex = { at: (_snapshot: unknown, position: bigint) => Promise.resolve(stores.eventStore.indexAt(position)) };
    const months = new MonthReads(pool, readModels, logIndex as unknown as LogIndex);
    this.closing = new ClosePeriodHandler(ledger, months, readModels, clock, ISSUER);
    this.posting = new PostLedgerEntryHandler(ledger, new ClosedDays(), readModels, clock, NOBODY_ELSE, pool);
    this.lookups = new LookupController(commands, this.charges, QUIET);
  }

  /** Executes POST /v1/rupa/lookup, or POST /v1/rupa/lookups for a list, without the guards. */
  async lookUp(request: SimulatedLookup, key: string | undefined, reply: FakeReply): Promise<void> {
    const looked =
      'rupa_ids' in request
        ? this.lookups.lookUpAll(PARTNER, key, validateBody(LookupListDto, request), reply.reply)
        : this.lookups.lookUp(PARTNER, key, validateBody(LookupDto, request), reply.reply);
    await this.within(DEADLINE_MS, looked).catch((error: unknown) => {
      const http = { getResponse: () => reply, getRequest: () => ({ method: 'POST', id: '', routeOptions: { url: '' } }) };
      this.errors.catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
    });
  }

  async credit(amountKobo: number, reference: string, kind: CreditKind): Promise<CreditResult> {
    const credit = validateBody(CreditDto, { amount: toNaira(amountKobo), reference, reason: 'why', kind });
    return await this.within(DEADLINE_MS, this.execute(new CreditWallet(PARTNER.partner_id, credit, 'admin')) as Promise<CreditResult>);
  }

  async reverse(creditReference: string, amountKobo: number | null, reference: string): Promise<ReversalResult> {
    const amount = amountKobo === null ? null : toNaira(amountKobo);
    const reversal = validateBody(ReversalDto, { credit_reference: creditReference, amount, reason: 'a wrong credit', reference });
    const command = new ReverseCredit(PARTNER.partner_id, reversal, 'admin');
    return await this.within(DEADLINE_MS, this.execute(command) as Promise<ReversalResult>);
  }

  async payOut(amountKobo: number, reference: string): Promise<PayoutResult> {
    const payout = validateBody(PayoutDto, { amount: toNaira(amountKobo), reference, reason: 'asked back' });
    return await this.within(DEADLINE_MS, this.execute(new PayOut(PARTNER.partner_id, payout, 'admin')) as Promise<PayoutResult>);
  }

  async post(entry: Readonly<Record<string, unknown>>): Promise<LedgerEntryView> {
    return await this.within(DEADLINE_MS, this.posting.execute(new PostLedgerEntry(validateBody(LedgerEntryDto, entry), 'admin')));
  }

  async closeMonth(month: string): Promise<CloseResult> {
    return await this.within(DEADLINE_MS, this.closing.execute(new ClosePeriod(monthAt(month), 'live', 'admin')));
  }

  async compensate(lookupId: string): Promise<CompensationResult> {
    return await this.within(
      DEADLINE_MS,
      this.execute(
        new CompensateLookup(lookupId, validateBody(CompensationDto, { reason: 'a complaint' }), 'admin'),
      ) as Promise<CompensationResult>,
    );
  }

  async refund(lookupId: string): Promise<void> {
    await this.charges.close(PARTNER.partner_id, [lookupId], 'failed');
  }

  /** Reads the database's clock every second, as src/stores/watch-clock.ts does. While they differ, each append of the process fails. */
  private compareClocks(guard: ClockGuard, database: FakeDatabase): void {
    const { clock } = this.process;
    const databaseMs = database.clockFor(this.process);
    if (databaseMs !== undefined) guard.databaseMeasured({ storeMs: databaseMs, elapsedMs: clock.elapsedMs(), uncertaintyMs: 5 });
    if (guard.fault() !== undefined) this.process.recordFailedCall();
    clock.after(1_000, () => {
      this.compareClocks(guard, database);
    });
  }

  /** Sweeps, unless a sweep is under way, as src/platform/repeated-work.ts does. */
  async sweep(): Promise<void> {
    this.sweeping ??= this.sweeper.sweep().finally(() => {
      this.sweeping = undefined;
    });
    await this.sweeping;
  }

  /** Shuts down as the service does after its HTTP server is closed. */
  async close(): Promise<void> {
    await this.sweeper.onApplicationShutdown();
    await this.eventStore.close();
  }

  private async execute(command: object): Promise<unknown> {
    const [, handler] = this.handlers.find(([{ prototype }]) => Object.getPrototypeOf(command) === prototype) ?? [];
    if (!handler) throw new Error(`No handler for ${command.constructor.name}.`);
    return await handler.execute(command as never);
  }

  private async within<T>(ms: number, work: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = this.process.clock
      .delay(ms, timer.signal)
      .then(() => Promise.reject(new StoreUnavailable('A request exceeded its deadline.')));
    late.catch(() => undefined);
    work.catch(() => undefined);
    return await Promise.race([work, late]).finally(() => {
      timer.abort();
    });
  }
}

/** Readable instead of encrypted, but decrypts only with the binding (AAD) used to encrypt. */
const dataKey: DataKey = {
  encrypt: (text, binding) => JSON.stringify([binding, text]),
  decrypt: (encrypted, binding) => {
    const [bound, text] = JSON.parse(encrypted) as [string, string];
    if (bound !== binding) throw new Error('The response was stored with another binding.');
    return text;
  },
};
/** Like a data key, for what is about no farmer. */
const ownKey = {
  encrypt: (text: string, binding: string) => Promise.resolve(dataKey.encrypt(text, binding)),
  decrypt: (encrypted: string, binding: string) => Promise.resolve(dataKey.decrypt(encrypted, binding)),
} as unknown as ResponseKey;
export const keys = { load: (ids: readonly string[]) => Promise.resolve(new Map(ids.map((id) => [id, dataKey]))) } as unknown as DataKeys;

/** The codec of all instances. */
export const codec = new Codec(eventCatalogue, keys);
