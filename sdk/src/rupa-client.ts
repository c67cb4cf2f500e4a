import {
  type GetAccountResponse,
  type GetPricesResponse,
  type Lookup,
  type LookupResult,
  type LookUpFarmerResponse,
  type PartnerAccount,
  type Prices,
  type RecordedContribution,
  type Report,
  type ListedLookup,
  type ListedReport,
  type LookupListSummary,
  type LookUpFarmersResponse,
  type ReportActivitiesResponse,
  type ReportActivityResponse,
  type ReportsSummary,
} from './api-types.generated.js';
import { Consents } from './calls/consents.js';
import { Contributions } from './calls/contributions.js';
import { Events } from './calls/events.js';
import { Keys } from './calls/keys.js';
import { Lookups } from './calls/lookups.js';
import { Sandbox } from './calls/sandbox.js';
import { WalletCalls } from './calls/wallet.js';
import { WebhookEndpoints } from './calls/webhook-endpoints.js';
import { ChunkedCalls, type ChunkOptions, type Items } from './chunked-calls.js';
import { type WithResponse } from './last-response.js';
import { refuseBrowsers } from './runtime.js';
import { type CallOptions, type RupaClientOptions, Transport } from './transport.js';

export interface LookUpAllOptions extends ChunkOptions, Pick<Lookup, 'sections'> {
  /** The purpose of the lookups, which the roster shows. Default: `loan`. */
  readonly source?: string;
  /** Whether to look up as many of a chunk as the balance is enough for. Default: false. */
  readonly allowPartial?: boolean;
}

export type LookUpAll = ChunkedCalls<string, ListedLookup, LookupListSummary>;
export type ReportAll = ChunkedCalls<Report, ListedReport, ReportsSummary>;

/**
 * Calls the service with the key of your account. Every call throws a `RupaApiError` for an error response, with a class for each code;
 * `RupaConnectionError` or `RupaTimeoutError` if no response arrived; and retries before that if another attempt may succeed.
 */
export class RupaClient {
  readonly lookups: Lookups;
  readonly contributions: Contributions;
  readonly consents: Consents;
  readonly events: Events;
  readonly wallet: WalletCalls;
  readonly webhooks: WebhookEndpoints;
  readonly keys: Keys;
  readonly sandbox: Sandbox;
  readonly #transport: Transport;

  /** @throws TypeError if an option is wrong. @throws Error in a browser */
  constructor(options: RupaClientOptions) {
    refuseBrowsers();
    const transport = new Transport(options);
    this.#transport = transport;
    this.lookups = new Lookups(transport);
    this.contributions = new Contributions(transport);
    this.consents = new Consents(transport);
    this.events = new Events(transport);
    this.wallet = new WalletCalls(transport);
    this.webhooks = new WebhookEndpoints(transport);
    this.keys = new Keys(transport);
    this.sandbox = new Sandbox(transport);
  }

  /**
   * Looks up a farmer. A lookup that succeeds is charged, once: the client sends an Idempotency-Key, the same in every attempt.
   * @throws FarmerNotFoundError, InsufficientBalanceError, NoPermittedSectionsError
   */
  async lookup(lookup: Lookup, options?: CallOptions): Promise<WithResponse<LookupResult>> {
    return await this.#transport.call<LookUpFarmerResponse>('POST', '/v1/rupa/lookup', { ...options, body: lookup });
  }

  /** Reports an activity of a farmer. A second report with the same `partner_reference` replaces the first. @throws FarmerNotFoundError */
  async report(report: Report, options?: CallOptions): Promise<WithResponse<RecordedContribution>> {
    return await this.#transport.call<ReportActivityResponse>('POST', '/v1/rupa/report', { ...options, body: report });
  }

  /**
   * Looks up any number of farmers, 100 at a time. Each found one is charged. Duplicates within a chunk are charged once. Without
   * `allowPartial`, a chunk for which the balance is too low ends it, uncharged. @throws TypeError if an option is wrong
   */
  lookUpAll(rupaIds: Items<string>, { sections, source = 'loan', allowPartial, ...options }: LookUpAllOptions = {}): LookUpAll {
    return new ChunkedCalls(
      rupaIds,
      (rupa_ids, call) =>
        this.#transport.call<LookUpFarmersResponse>('POST', '/v1/rupa/lookups', {
          ...call,
          body: {
            rupa_ids,
            source,
            ...(sections === undefined ? {} : { sections }),
            ...(allowPartial === undefined ? {} : { allow_partial: allowPartial }),
          },
        }),
      options,
    );
  }

  /**
   * Reports any number of activities, 100 at a time. A report that is refused does not stop the others; `index` of a result is its place in
   * the chunk. @throws TypeError if an option is wrong
   */
  reportAll(reports: Items<Report>, options?: ChunkOptions): ReportAll {
    return new ChunkedCalls(
      reports,
      (chunk, call) => this.#transport.call<ReportActivitiesResponse>('POST', '/v1/rupa/reports', { ...call, body: { reports: chunk } }),
      options,
    );
  }

  /** Shows your account: what it may read and report, its balance and its compliance. */
  async me(options?: CallOptions): Promise<WithResponse<PartnerAccount>> {
    return await this.#transport.call<GetAccountResponse>('GET', '/v1/rupa/me', options);
  }

  /** Shows the fees in force, and the price of a lookup of every section that you may read. */
  async prices(options?: CallOptions): Promise<WithResponse<Prices>> {
    return await this.#transport.call<GetPricesResponse>('GET', '/v1/rupa/prices', options);
  }
}
