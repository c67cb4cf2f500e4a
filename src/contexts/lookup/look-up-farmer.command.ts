import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { type Section } from '../../kernel/section-names.js';
import { ApiError } from '../../http/api-error.js';
import { successJson } from '../../http/envelope.js';
import { type PartnerContext } from '../../http/partner-context.js';
import { Clock } from '../../kernel/clock.js';
import { UnshownChanges } from '../../platform/projecting/unshown-changes.js';
import { runCommand } from '../../platform/tracing/command-span.js';
import { LookupQuotes } from '../pricing/public.js';
import { type Charge, ChargeLookup, ChargeLookupHandler, RefundCharge, RefundChargeHandler } from '../wallet/public.js';
import { lookupPayload } from './lookup-payload.js';
import { FarmerReader } from './farmer-reader.js';
import { FarmerRejection } from '../farmers/public.js';

/** Settings that the application provides. */
export abstract class LookupOptions {
  /** The URL at which partners reach the service; `rupa_profile_url` begins with it. */
  abstract readonly publicUrl: string;
}

export interface LookupRequest {
  readonly rupa_id: string;
  /** Requested sections; undefined requests every section that the partner may read. */
  readonly sections: readonly Section[] | undefined;
  readonly source: string;
}

export interface BilledLookup {
  readonly lookup_id: string;
  /** The complete response body. It is built before the charge, so that nothing can fail between the charge and the socket. */
  readonly payload: string;
}

/**
 * Builds the response of a lookup and charges for it (interface, section 4.2). The caller must settle or refund the charge.
 * @throws ApiError `no_permitted_sections` if none of the requested sections is permitted; `internal_error`, after a refund, if the
 * farmer is the test farmer whose lookups fail
 * @throws Rejection `farmer_unknown` or `insufficient_balance`
 * @throws ChargeUncertain if the charge may have been made
 */
export class LookUpFarmer extends Command<BilledLookup> {
  constructor(
    readonly partner: PartnerContext,
    readonly request: LookupRequest,
    readonly lookupId: string = randomUUID(),
  ) {
    super();
  }
}

@CommandHandler(LookUpFarmer)
export class LookUpFarmerHandler implements ICommandHandler<LookUpFarmer> {
  constructor(
    private readonly farmers: FarmerReader,
    private readonly quotes: LookupQuotes,
    private readonly charges: ChargeLookupHandler,
    private readonly refunds: RefundChargeHandler,
    private readonly unshown: UnshownChanges,
    private readonly clock: Clock,
    private readonly options: LookupOptions,
  ) {}

  async execute(command: LookUpFarmer): Promise<BilledLookup> {
    return await this.farmers.during(() => this.lookUp(command));
  }

  private async lookUp({ partner, request, lookupId: lookup_id }: LookUpFarmer): Promise<BilledLookup> {
    const { partner_id, mode, key_id } = partner;
    const { rupa_id, source } = request;
    const [sections, denied] = permitted(request.sections, partner.allowed_sections);
    await this.unshown.waitFor(`farmer ${rupa_id}`);
    const farmer = await this.farmers.find({ partner_id, rupa_id, sections });
    if (farmer?.profile.mode !== mode) throw new FarmerRejection('farmer_unknown');
    const { breakdown_kobo, price_book_version } = await this.quotes.quote(sections, farmer.profile.has_bureau_report);
    const payload = successJson(
      lookupPayload({
        lookup_id,
        farmer,
        sections,
        denied,
        breakdown_kobo,
        queriedAt: this.clock.iso(),
        publicUrl: this.options.publicUrl,
      }),
    );
    const charge: Charge = {
      partner_id,
      key_id,
      lookup_id,
      rupa_id,
      source,
      breakdown_kobo,
      price_book_version,
      grants_consent: !farmer.consented,
    };
    await runCommand(this.charges, new ChargeLookup(charge, mode));
    if (farmer.profile.test?.lookups === 'fail') await this.fail(charge);
    return { lookup_id, payload };
  }

  /** The refund precedes the response, so that the partner finds it at once (decisions, "Sandbox"). */
  private async fail({ partner_id, lookup_id }: Charge): Promise<never> {
    await runCommand(this.refunds, new RefundCharge(partner_id, lookup_id, 'lookups of this test farmer fail'));
    throw new ApiError('internal_error');
  }
}

/** Splits the requested sections into permitted and denied ones (interface, section 4.2, rules 1 and 2). */
function permitted(requested: readonly Section[] | undefined, allowed: readonly Section[]): [Section[], Section[]] {
  const wanted = [...new Set(requested ?? allowed)];
  const sections = wanted.filter((section) => allowed.includes(section));
  if (sections.length === 0) throw new ApiError('no_permitted_sections');
  return [sections, wanted.filter((section) => !allowed.includes(section))];
}
