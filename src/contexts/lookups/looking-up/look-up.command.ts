import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalize } from 'json-canonicalize';
import { type Section } from '../../../kernel/section-names.js';
import { ApiError } from '../../../http/errors/api-error.js';
import { successJson } from '../../../http/envelope.js';
import { TooManyRequests } from '../../../http/limiting/rate-limits.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Clock } from '../../../kernel/clock.js';
import { DataKeyDestroyed } from '../../../platform/key-store/data-keys.js';
import { ReadYourWrites } from '../../../platform/projecting/in-memory/read-your-writes.js';
import { FarmerRejection, type TestLookups } from '../../farmers/public.js';
import { type Lease, LeaseLost, StoredResponses } from '../../idempotency/public.js';
import { GetPriceBookHandler, priceLookup } from '../../pricing/public.js';
import { Charges, ChargeUncertain, totalOf, WalletRejection } from '../../wallet/public.js';
import { FarmerReader } from './farmer-reader.js';
import { DEFAULT_SOURCE, type LookupDto } from './lookup.dto.js';
import { lookupPayload } from './lookup-payload.js';

/** How long a lookup of the slow test farmer takes (decisions, "Sandbox"). */
const SLOW_MS = 10_000;

/** Settings that the application provides. */
export abstract class LookupOptions {
  /** The URL at which partners reach the service; `rupa_profile_url` begins with it. */
  abstract readonly publicUrl: string;
}

export interface BilledLookup {
  readonly lookup_id: string;
  /** The complete response body. It is built before the charge, so that nothing can fail between the charge and the socket. */
  readonly payload: string;
  /** Whether a retry with the same Idempotency-Key gets the response. */
  readonly stored: boolean;
}

/** Either a new, billed lookup, or the stored response of an earlier lookup with the same key. */
export type LookUpResult = ({ readonly kind: 'billed' } & BilledLookup) | { readonly kind: 'replayed'; readonly payload: string };

/**
 * Looks a farmer up, and charges for it (interface, section 4.2). Of all requests with an Idempotency-Key exactly one is billed, even if a
 * process dies at any moment (decisions, "Retrying a lookup"). The caller must close the charge of a billed lookup.
 * @throws ApiError `no_permitted_sections` if none of the requested sections is permitted; `internal_error`, after a refund, or `unavailable`, if
 * the farmer is a test farmer whose lookups get these; `idempotency_key_reused` or `idempotency_in_progress`
 * @throws Rejection `farmer_unknown`, `insufficient_balance`, or `response_lost` if the key was charged and its response is gone
 * @throws ChargeUncertain if the charge may have been made
 */
export class LookUp extends Command<LookUpResult> {
  constructor(
    readonly partner: PartnerContext,
    readonly lookup: LookupDto,
    readonly key?: string,
  ) {
    super();
  }
}

/** A lookup with its defaults. The row of an Idempotency-Key has its hash. */
interface LookupRequest {
  readonly rupa_id: string;
  /** undefined requests every section that the partner may read. */
  readonly sections: readonly Section[] | undefined;
  readonly source: string;
}

@CommandHandler(LookUp)
export class LookUpHandler implements ICommandHandler<LookUp> {
  constructor(
    private readonly responses: StoredResponses,
    private readonly farmers: FarmerReader,
    private readonly writes: ReadYourWrites,
    private readonly priceBook: GetPriceBookHandler,
    private readonly charges: Charges,
    private readonly clock: Clock,
    private readonly options: LookupOptions,
  ) {}

  async execute({ partner, lookup: { rupa_id, sections, source }, key }: LookUp): Promise<LookUpResult> {
    const request = { rupa_id, sections: sections ?? undefined, source: source ?? DEFAULT_SOURCE };
    if (key === undefined) {
      const lookup_id = randomUUID();
      return { kind: 'billed', lookup_id, payload: await this.bill(partner, request, lookup_id), stored: false };
    }
    const request_hash = createHash('sha256').update(canonicalize(request)).digest('hex');
    const begun = await this.responses.begin({ partner_id: partner.partner_id, key, rupa_id, request_hash });
    if (begun.kind === 'stored') return { kind: 'replayed', payload: begun.payload };
    const { lease } = begun;
    await this.refundAbandoned(lease);
    const payload = await this.billOrWithdraw(partner, request, lease);
    await this.store(lease, payload);
    return { kind: 'billed', lookup_id: lease.lookup_id, payload, stored: true };
  }

  /** Bills the lookup, again if other prices are in force at the time at which the wallet dates the charge. Returns the response. */
  private async bill(partner: PartnerContext, request: LookupRequest, lookup_id: string): Promise<string> {
    for (let notBefore: string | undefined; ;) {
      try {
        return await this.billAt(partner, request, lookup_id, notBefore);
      } catch (error) {
        if (!(error instanceof WalletRejection && error.code === 'price_changed')) throw error;
        notBefore = error.facts.at as string;
      }
    }
  }

  private async billAt(partner: PartnerContext, request: LookupRequest, lookup_id: string, notBefore?: string): Promise<string> {
    const { payload, isSlow } = await this.farmers.during(() => this.charged(partner, request, lookup_id, notBefore));
    // Others' statements must not wait for this lookup, so it is slow after its charge, like one whose response is.
    if (isSlow) await delay(SLOW_MS);
    return payload;
  }

  /** Reads the farmer, prices and renders the permitted sections, and charges for them. Returns the response. */
  private async charged(
    partner: PartnerContext,
    request: LookupRequest,
    lookup_id: string,
    notBefore: string | undefined,
  ): Promise<{ readonly payload: string; readonly isSlow: boolean }> {
    const { partner_id, mode, key_id, test_run } = partner;
    const { rupa_id, source } = request;
    const [sections, denied] = permitted(request.sections, partner.allowed_sections);
    const unshown = await this.writes.unshownOf(`farmer ${rupa_id}`);
    const farmer = await this.farmers.find({ partner_id, rupa_id, test_run }, unshown);
    if (farmer?.profile.mode !== mode) throw new FarmerRejection('farmer_unknown');

    const { book, until } = await this.priceBook.toCharge(notBefore);
    const breakdown_kobo = priceLookup(book, sections, farmer.profile.has_bureau_report);
    const tested = farmer.profile.test?.lookups;
    refuseOnPurpose(tested, breakdown_kobo);
    const shown = { lookup_id, farmer, sections, denied, breakdown_kobo };
    const payload = successJson(lookupPayload({ ...shown, queriedAt: this.clock.iso(), publicUrl: this.options.publicUrl }));

    const grants_consent = !farmer.consented;
    const lookup = { partner_id, key_id, lookup_id, rupa_id, source };
    const { version: price_book_version, vat_percent } = book;
    const priced = { breakdown_kobo, price_book_version, vat_percent, price_until: until };
    await this.charges.make({ ...lookup, ...priced, grants_consent }, mode);
    if (tested === 'fail') {
      // The refund precedes the response, so that the partner finds it at once (decisions, "Sandbox").
      await this.charges.close(partner_id, lookup_id, 'failed on purpose');
      throw new ApiError('internal_error');
    }
    return { payload, isSlow: tested === 'slow' };
  }

  private async refundAbandoned(lease: Lease): Promise<void> {
    if (lease.abandoned === undefined) return;
    await this.charges.close(lease.partner_id, lease.abandoned, 'abandoned');
    await this.responses.takeOver(lease);
  }

  private async billOrWithdraw(partner: PartnerContext, request: LookupRequest, lease: Lease): Promise<string> {
    try {
      return await this.bill(partner, request, lease.lookup_id);
    } catch (error) {
      // If the charge may have been made, the row stays: the next request with the key takes it over and refunds the charge first.
      if (!(error instanceof ChargeUncertain)) await this.responses.withdraw(lease);
      if (error instanceof WalletRejection && error.code === 'response_lost') this.responses.noteLost(lease);
      throw error;
    }
  }

  /**
   * Stores the response before it is sent; once it is stored, the charge is not refunded (docs/adr/0006). If it cannot be stored, the charge
   * is refunded. If the database does not tell, the charge stays open and the sweep of stale charges settles or refunds it.
   */
  private async store(lease: Lease, payload: string): Promise<void> {
    try {
      await this.responses.store(lease, payload);
    } catch (error) {
      // From here on the key's row decides, not this process.
      this.charges.abandon(lease.lookup_id);
      if ((await this.responses.withdraw(lease)) === 'stored') return;
      await this.charges.close(lease.partner_id, lease.lookup_id, 'not stored');
      if (error instanceof LeaseLost) throw new ApiError('idempotency_in_progress');
      throw error instanceof DataKeyDestroyed ? new FarmerRejection('farmer_unknown') : error;
    }
  }
}

/** Throws what lookups of a test farmer get before anything is charged (decisions, "Sandbox"). */
function refuseOnPurpose(tested: TestLookups | undefined, breakdown_kobo: Readonly<Record<string, number>>): void {
  if (tested === 'no_money')
    throw new WalletRejection('insufficient_balance', { required_kobo: totalOf(breakdown_kobo), available_kobo: 0, breakdown_kobo });
  if (tested === 'limited') throw new TooManyRequests(1);
  if (tested === 'busy') throw new ApiError('unavailable');
}

/** Splits the requested sections into permitted and denied ones (interface, section 4.2, rules 1 and 2). */
function permitted(requested: readonly Section[] | undefined, allowed: readonly Section[]): [Section[], Section[]] {
  const wanted = [...new Set(requested ?? allowed)];
  const sections = wanted.filter((section) => allowed.includes(section));
  if (sections.length === 0) throw new ApiError('no_permitted_sections');
  return [sections, wanted.filter((section) => !allowed.includes(section))];
}
