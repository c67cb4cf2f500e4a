import { Inject, Injectable } from '@nestjs/common';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Section } from '../../../kernel/section-names.js';
import { ApiError } from '../../../http/errors/api-error.js';
import { TooManyRequests } from '../../../http/limiting/rate-limits.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Clock } from '../../../kernel/clock.js';
import { LOGGER } from '../../../platform/injection-tokens.js';
import { ReadYourWrites } from '../../../platform/projecting/in-memory/read-your-writes.js';
import { FarmerRejection, type TestLookups } from '../../farmers/public.js';
import { type BookInForce, GetPriceBookHandler, priceLookup } from '../../pricing/public.js';
import { Charges, type LookupToCharge, sumOfFees, totalOf, WalletRejection } from '../../wallet/public.js';
import { FarmerReader, type FoundFarmer } from './farmer-reader.js';
import { type BilledLookups, type LookupOutcome, lookupPayload } from './lookup-payload.js';

/** How long a lookup of the slow test farmer takes (decisions, "Sandbox"). */
const SLOW_MS = 10_000;
/** Farmers that are rendered before others get the processor. */
const RENDERED_AT_ONCE = 4;

/** Settings that the application provides. */
export abstract class LookupOptions {
  /** The URL at which partners reach the service; `rupa_profile_url` begins with it. */
  abstract readonly publicUrl: string;
}

/** The lookups of a call, with defaults. */
export interface LookupsToBill {
  /** Different Rupa IDs, in the order asked. */
  readonly rupa_ids: readonly string[];
  /** undefined requests every section that the partner may read. */
  readonly sections: readonly Section[] | undefined;
  readonly source: string;
  /** Charges the first lookups, as far as the balance goes. */
  readonly allow_partial: boolean;
  /** Whether what is wrong with one farmer is that farmer's outcome. Otherwise it is an error of the call. */
  readonly isList: boolean;
  /** Ids that the Idempotency-Key of the call has had under other master keys. */
  readonly former_ids?: readonly string[] | undefined;
}

/** A farmer that was found, with the price. */
interface Quoted {
  readonly kind: 'quoted';
  readonly farmer: FoundFarmer;
  readonly charge: LookupToCharge;
  /** The way in which lookups of a test farmer end. */
  readonly tested: TestLookups | undefined;
}

/** A lookup whose response is ready, so that nothing can fail between its charge and the socket. */
interface Rendered {
  readonly kind: 'rendered';
  readonly quoted: Quoted;
  /** undefined if the farmer cannot be rendered. */
  readonly json: string | undefined;
}

interface Shown {
  readonly sections: readonly Section[];
  readonly denied: readonly Section[];
  readonly queriedAt: string;
  readonly publicUrl: string;
}

type Uncharged = Exclude<LookupOutcome, { kind: 'found' }>;

/** Reads, prices, renders and charges lookups: of one farmer, or of a list (interface, section 4.2; decisions, "Many at once"). */
@Injectable()
export class LookupBilling {
  constructor(
    private readonly farmers: FarmerReader,
    private readonly writes: ReadYourWrites,
    private readonly priceBook: GetPriceBookHandler,
    private readonly charges: Charges,
    private readonly clock: Clock,
    private readonly options: LookupOptions,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Bills the lookups, again if other prices are in force at the time at which the wallet dates the charges. The caller must close the charges
   * of the lookups that were found, or abandon them.
   * @param lookupIds the id of each lookup
   * @throws what {@link LookUp} lists
   */
  async bill(partner: PartnerContext, request: LookupsToBill, lookupIds: readonly string[]): Promise<BilledLookups> {
    for (let notBefore: string | undefined; ;) {
      try {
        return await this.billAt(partner, request, lookupIds, notBefore);
      } catch (error) {
        if (!(error instanceof WalletRejection && error.code === 'price_changed')) throw error;
        notBefore = error.facts.at as string;
      }
    }
  }

  private async billAt(
    partner: PartnerContext,
    request: LookupsToBill,
    lookupIds: readonly string[],
    notBefore: string | undefined,
  ): Promise<BilledLookups> {
    const work = (): Promise<{ readonly billed: BilledLookups; readonly isSlow: boolean }> =>
      this.charged(partner, request, lookupIds, notBefore);
    // A list has a statement of its own, for which no other statement needs to wait.
    const { billed, isSlow } = request.isList ? await this.farmers.inTurn(partner.partner_id, work) : await this.farmers.during(work);
    // Others' statements must not wait for this lookup, so it is slow after its charge, like one whose response is.
    if (isSlow) await delay(SLOW_MS);
    return billed;
  }

  private async charged(
    partner: PartnerContext,
    request: LookupsToBill,
    lookupIds: readonly string[],
    notBefore: string | undefined,
  ): Promise<{ readonly billed: BilledLookups; readonly isSlow: boolean }> {
    const { prices, lookups } = await this.prepared(partner, request, lookupIds, notBefore);
    const rendered = lookups.filter((each) => each.kind === 'rendered');
    const [first] = rendered;
    if (!first || !prices) return { billed: { outcomes: lookups.filter(isUncharged), balance_kobo: undefined }, isSlow: false };
    const { version: price_book_version, vat_percent } = prices.book;
    const { partner_id, key_id, mode } = partner;
    const { source, allow_partial, former_ids } = request;
    const charge = { partner_id, key_id, source, allow_partial, former_ids, price_book_version, vat_percent, price_until: prices.until };
    const charged = await this.charges.make({ ...charge, lookups: rendered.map(({ quoted }) => quoted.charge) }, mode);
    const made = rendered.filter(({ quoted }) => charged.lookup_ids.has(quoted.charge.lookup_id));
    const balance_kobo = await this.refundFailed(partner_id, request, made, charged.balance_kobo);
    const outcomes = lookups.map((each) => (each.kind === 'rendered' ? outcomeOf(each, charged.lookup_ids) : each));
    return { billed: { outcomes, balance_kobo }, isSlow: made.some(({ quoted }) => quoted.tested === 'slow') };
  }

  /** Reads the farmers, and prices and renders the permitted sections. `prices` is undefined if no farmer was found. */
  private async prepared(
    partner: PartnerContext,
    request: LookupsToBill,
    lookupIds: readonly string[],
    notBefore: string | undefined,
  ): Promise<{ readonly prices: BookInForce | undefined; readonly lookups: readonly (Rendered | Uncharged)[] }> {
    const [sections, denied] = permitted(request.sections, partner.allowed_sections);
    const found = await this.find(partner, request);
    if (!found.some((each) => 'profile' in each)) return { prices: undefined, lookups: found.filter((each) => 'kind' in each) };
    const prices = await this.priceBook.toCharge(notBefore);
    const quoted = found.map((each, index) => {
      if ('kind' in each) return each;
      const breakdown_kobo = priceLookup(prices.book, sections, each.profile.has_bureau_report);
      const { rupa_id } = each.profile;
      const charge = { lookup_id: lookupIds[index] ?? '', rupa_id, breakdown_kobo, grants_consent: !each.consented };
      return { kind: 'quoted' as const, farmer: each, charge, tested: each.profile.test?.lookups };
    });
    const priced = actedOnPurpose(quoted, request.allow_partial);
    const shown = { sections, denied, queriedAt: this.clock.iso(), publicUrl: this.options.publicUrl };
    const lookups: (Rendered | Uncharged)[] = [];
    for (const [index, each] of priced.entries()) {
      if (index > 0 && index % RENDERED_AT_ONCE === 0) await nextTurn();
      lookups.push(each.kind === 'quoted' ? this.rendered(each, shown, request.isList) : each);
    }
    return { prices, lookups };
  }

  private rendered(quoted: Quoted, shown: Shown, isList: boolean): Rendered {
    const { farmer, charge } = quoted;
    try {
      return { kind: 'rendered', quoted, json: lookupPayload({ ...shown, ...charge, farmer }) };
    } catch (error) {
      if (!isList) throw error;
      const { lookup_id } = charge;
      this.logger.error({ err: error, lookup_id }, 'a lookup of a list failed; its charge is refunded');
      return { kind: 'rendered', quoted, json: undefined };
    }
  }

  private async find(
    { partner_id, mode, test_run }: PartnerContext,
    { rupa_ids, isList }: LookupsToBill,
  ): Promise<readonly (FoundFarmer | Uncharged)[]> {
    const late = await Promise.all(rupa_ids.map((rupa_id) => this.writes.lateStreamsOf(`farmer ${rupa_id}`)));
    const found = await this.farmers.find(
      rupa_ids.map((rupa_id) => ({ partner_id, rupa_id, test_run })),
      late,
    );
    return found.map((each) => {
      if (each instanceof Error) {
        if (!isList) throw each;
        return { kind: 'failed', code: 'unavailable' };
      }
      if (each?.profile.mode === mode) return each;
      if (!isList) throw new FarmerRejection('farmer_unknown');
      return { kind: 'not_found' };
    });
  }

  /**
   * Refunds the charges that have no response, before there is one, so that the partner finds the refund at once (decisions, "Sandbox").
   * Returns the balance, in integer kobo. A list's refund that fails is left to the sweep.
   */
  private async refundFailed(
    partnerId: string,
    { isList }: LookupsToBill,
    charged: readonly Rendered[],
    balanceKobo: number,
  ): Promise<number> {
    let balance_kobo = balanceKobo;
    for (const response of ['failed on purpose', 'failed'] as const) {
      const ids = charged.filter((each) => failureOf(each) === response).map(({ quoted }) => quoted.charge.lookup_id);
      if (ids.length === 0) continue;
      const closing = this.charges.closeAll(partnerId, ids, response);
      const closed = isList ? await closing.catch(() => undefined) : await closing;
      balance_kobo = closed?.balance_kobo ?? balance_kobo;
      if (!isList) throw new ApiError('internal_error');
    }
    return balance_kobo;
  }
}

function isUncharged(each: Rendered | Uncharged): each is Uncharged {
  return each.kind !== 'rendered';
}

/** Returns how the response of a charged lookup failed, if it did. */
function failureOf({ quoted, json }: Rendered): 'failed on purpose' | 'failed' | undefined {
  if (quoted.tested === 'fail') return 'failed on purpose';
  return json === undefined ? 'failed' : undefined;
}

function outcomeOf(lookup: Rendered, charged: ReadonlySet<string>): LookupOutcome {
  const { lookup_id, breakdown_kobo } = lookup.quoted.charge;
  if (!charged.has(lookup_id)) return { kind: 'not_charged' };
  if (failureOf(lookup) !== undefined || lookup.json === undefined) return { kind: 'failed', code: 'internal_error' };
  return { kind: 'found', lookup_id, amount_kobo: totalOf(breakdown_kobo), json: lookup.json };
}

/** Does what lookups of test farmers get before anything is charged (decisions, "Sandbox" and "Many at once"). */
function actedOnPurpose(lookups: readonly (Quoted | Uncharged)[], allowPartial: boolean): readonly (Quoted | Uncharged)[] {
  const quoted = lookups.filter((each) => each.kind === 'quoted');
  const wants = (tested: TestLookups): boolean => quoted.some((each) => each.tested === tested);
  if (wants('limited')) throw new TooManyRequests(1);
  if (wants('busy')) throw new ApiError('unavailable');
  if (!wants('no_money')) return lookups;
  if (allowPartial) return lookups.map((each) => (each.kind === 'quoted' && each.tested === 'no_money' ? { kind: 'not_charged' } : each));
  const breakdown_kobo = sumOfFees(quoted.map(({ charge }) => charge.breakdown_kobo));
  throw new WalletRejection('insufficient_balance', { required_kobo: totalOf(breakdown_kobo), available_kobo: 0, breakdown_kobo });
}

/** Splits the requested sections into permitted and denied ones (interface, section 4.2, rules 1 and 2). */
function permitted(requested: readonly Section[] | undefined, allowed: readonly Section[]): [Section[], Section[]] {
  const wanted = [...new Set(requested ?? allowed)];
  const sections = wanted.filter((section) => allowed.includes(section));
  if (sections.length === 0) throw new ApiError('no_permitted_sections');
  return [sections, wanted.filter((section) => !allowed.includes(section))];
}
