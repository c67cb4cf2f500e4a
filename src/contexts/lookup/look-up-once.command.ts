import { ConflictException } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createHash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { type PartnerContext } from '../../http/partner-context.js';
import { DataKeyDestroyed } from '../../platform/key-store/data-keys.js';
import { runCommand } from '../../platform/tracing/command-span.js';
import { ChargeUncertain, RefundCharge, RefundChargeHandler } from '../wallet/public.js';
import { StoredResponses, type Lease, LeaseLost } from './stored-responses.js';
import { type BilledLookup, LookUpFarmer, LookUpFarmerHandler, type LookupRequest } from './look-up-farmer.command.js';
import { FarmerRejection } from '../farmers/public.js';

/** An answer of now, or of an earlier lookup with the same key, which was billed then. */
export type LookUpOnceResult = ({ readonly kind: 'billed' } & BilledLookup) | { readonly kind: 'replayed'; readonly payload: string };

/**
 * A lookup with an Idempotency-Key (decisions, "Retrying a lookup"): of all requests with the key one is billed, whichever process
 * dies when. Its answer is kept before it is sent, and from then on its charge stands (docs/adr/0006).
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
      // A charge that may yet be made stays with its key: whoever takes it over refunds it first.
      if (!(error instanceof ChargeUncertain)) await this.responses.withdraw(lease);
      throw error;
    }
  }

  /** Whether an answer was kept that could not be withdrawn decides the sweep. */
  private async storeResponse(lease: Lease, { lookup_id, payload }: BilledLookup): Promise<void> {
    try {
      await this.responses.store(lease, payload);
    } catch (error) {
      if ((await this.responses.withdraw(lease)) === 'stored') return;
      await runCommand(this.refunds, new RefundCharge(lease.partner_id, lookup_id, 'the response could not be stored'));
      if (error instanceof LeaseLost)
        throw new ConflictException('Another lookup with this Idempotency-Key is running. Please retry shortly.');
      throw error instanceof DataKeyDestroyed ? new FarmerRejection('farmer_unknown') : error;
    }
  }
}
