import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createHash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { ApiError } from '../../http/api-error.js';
import { type PartnerContext } from '../../http/partner-context.js';
import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { runCommand } from '../../platform/tracing/command-span.js';
import { ChargesInHand, ChargeUncertain, RefundCharge, RefundChargeHandler } from '../wallet/public.js';
import { StoredResponses, type Lease, LeaseLost } from '../idempotency/public.js';
import { type BilledLookup, LookUpFarmer, LookUpFarmerHandler, type LookupRequest } from './look-up-farmer.command.js';
import { FarmerRejection } from '../farmers/public.js';

/** The result is either a new, billed lookup, or the stored response of an earlier lookup with the same key. */
export type LookUpOnceResult = ({ readonly kind: 'billed' } & BilledLookup) | { readonly kind: 'replayed'; readonly payload: string };

/**
 * Looks a farmer up with an Idempotency-Key (decisions, "Retrying a lookup"). Of all requests with the key exactly one is billed, even if
 * a process dies at any moment. The response is stored before it is sent, and once it is stored the charge is not refunded (docs/adr/0006).
 */
export class LookUpOnce extends Command<LookUpOnceResult> {
  constructor(
    readonly partner: PartnerContext,
    readonly request: LookupRequest,
    readonly key: string,
  ) {
    super();
  }
}

@CommandHandler(LookUpOnce)
export class LookUpOnceHandler implements ICommandHandler<LookUpOnce> {
  constructor(
    private readonly responses: StoredResponses,
    private readonly lookups: LookUpFarmerHandler,
    private readonly refunds: RefundChargeHandler,
    private readonly inHand: ChargesInHand,
  ) {}

  async execute({ partner, request, key }: LookUpOnce): Promise<LookUpOnceResult> {
    const request_hash = createHash('sha256').update(canonicalize(request)).digest('hex');
    const begun = await this.responses.begin({ partner_id: partner.partner_id, key, rupa_id: request.rupa_id, request_hash });
    if (begun.kind === 'stored') return { kind: 'replayed', payload: begun.payload };
    const { lease } = begun;
    await this.refundAbandoned(lease);
    const billed = await this.lookUp(partner, request, lease);
    await this.storeResponse(lease, billed);
    return { kind: 'billed', ...billed };
  }

  private async refundAbandoned(lease: Lease): Promise<void> {
    if (lease.abandoned === undefined) return;
    await runCommand(this.refunds, new RefundCharge(lease.partner_id, lease.abandoned, 'no response was sent for the lookup'));
    await this.responses.takeOver(lease);
  }

  private async lookUp(partner: PartnerContext, request: LookupRequest, lease: Lease): Promise<BilledLookup> {
    try {
      return await runCommand(this.lookups, new LookUpFarmer(partner, request, lease.lookup_id));
    } catch (error) {
      // If the charge may have been made, the row stays: the next request with the key takes it over and refunds the charge first.
      if (!(error instanceof ChargeUncertain)) await this.responses.withdraw(lease);
      throw error;
    }
  }

  /**
   * Stores the response, or refunds the charge if it cannot be stored. If the database does not tell whether the response was stored,
   * the charge stays open and the sweep of stale charges settles or refunds it.
   */
  private async storeResponse(lease: Lease, { lookup_id, payload }: BilledLookup): Promise<void> {
    try {
      await this.responses.store(lease, payload);
    } catch (error) {
      // From here on the key's row decides, not this process.
      this.inHand.release(lookup_id);
      if ((await this.responses.withdraw(lease)) === 'stored') return;
      await runCommand(this.refunds, new RefundCharge(lease.partner_id, lookup_id, 'the response could not be stored'));
      if (error instanceof LeaseLost) throw new ApiError('idempotency_in_progress');
      throw error instanceof DataKeyDestroyed ? new FarmerRejection('farmer_unknown') : error;
    }
  }
}
