import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createHash, randomUUID } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';
import { ApiError } from '../../../http/errors/api-error.js';
import { successJson } from '../../../http/envelope.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { DataKeyDestroyed } from '../../../platform/key-store/data-keys.js';
import { idOfItem, listId } from '../../../kernel/keyed-id.js';
import { FarmerRejection } from '../../farmers/public.js';
import { type Lease, LeaseLost, type NotStored, type Stored, StoredLists, StoredResponses } from '../../idempotency/public.js';
import { Charges, ChargeUncertain, WalletRejection } from '../../wallet/public.js';
import {
  type BilledLookups,
  type LookupOutcome,
  type AskedIds,
  headOf,
  type ListCounts,
  type ListHead,
  listPayload,
  piecesOf,
} from './lookup-payload.js';
import { LookupBilling, type LookupsToBill } from './lookup-billing.js';
import { DEFAULT_SOURCE, type LookupDto, type LookupListDto } from './lookup.dto.js';

/** The lookups that a call asks for. */
export interface LookupRequest extends LookupsToBill, AskedIds {
  /** The row of an Idempotency-Key has the hash of this. */
  readonly hashed: object;
}

/** Billed lookups, with the balance after them in integer kobo. */
type Billed = Pick<BilledLookups, 'outcomes'> & { readonly balance_kobo: number };

interface BilledCall {
  /** The lookups whose charges must be closed. */
  readonly lookup_ids: readonly string[];
  /** The complete response body. */
  readonly payload: string;
  /** Whether a retry with the same Idempotency-Key gets the response. */
  readonly stored: boolean;
  /** How many lookups of a list had each outcome. */
  readonly counts: ListCounts | undefined;
}

/** Either new, billed lookups, or the stored response of an earlier call with the same key. */
export type LookUpResult =
  | ({ readonly kind: 'billed' } & BilledCall)
  | { readonly kind: 'replayed'; readonly payload: string; readonly counts: ListCounts | undefined };

/**
 * Looks farmers up, and charges for them (interface, section 4.2; decisions, "Many at once"). Of all requests with an Idempotency-Key exactly one is
 * billed, even if a process dies at any moment (decisions, "Retrying a lookup"). The caller must close the charges of billed lookups.
 * @throws ApiError `no_permitted_sections` if none of the requested sections is permitted; `internal_error`, after a refund, or `unavailable`, if
 * the farmer is a test farmer whose lookups get these; `idempotency_key_reused` or `idempotency_in_progress`
 * @throws Rejection `farmer_unknown` unless it is a list, `insufficient_balance`, or `response_lost` if the key was charged and its response is gone
 * @throws ChargeUncertain if the charge may have been made
 */
export class LookUp extends Command<LookUpResult> {
  private constructor(
    readonly partner: PartnerContext,
    readonly request: LookupRequest,
    readonly key: string | undefined,
  ) {
    super();
  }

  /** Looks one farmer up. */
  static one(partner: PartnerContext, { rupa_id, sections, source }: LookupDto, key?: string): LookUp {
    const hashed = { rupa_id, sections: sections ?? undefined, source: source ?? DEFAULT_SOURCE };
    const rupa_ids = [rupa_id];
    return new LookUp(partner, { ...hashed, rupa_ids, asked: rupa_ids, hashed, allow_partial: false, isList: false }, key);
  }

  /** Looks a list up. */
  static list(partner: PartnerContext, { rupa_ids, sections, source, allow_partial }: LookupListDto, key?: string): LookUp {
    const options = { sections: sections ?? undefined, source: source ?? DEFAULT_SOURCE, allow_partial: allow_partial ?? false };
    const hashed = { ...options, rupa_ids };
    return new LookUp(partner, { ...options, rupa_ids: [...new Set(rupa_ids)], asked: rupa_ids, hashed, isList: true }, key);
  }
}

@CommandHandler(LookUp)
export class LookUpHandler implements ICommandHandler<LookUp> {
  constructor(
    private readonly responses: StoredResponses,
    private readonly lists: StoredLists,
    private readonly billing: LookupBilling,
    private readonly charges: Charges,
  ) {}

  async execute({ partner, request, key }: LookUp): Promise<LookUpResult> {
    if (key !== undefined) return await this.keyed(partner, request, key);
    const callId = request.isList ? listId(randomUUID()) : randomUUID();
    return resultOf(request, await this.bill(partner, request, callId), false);
  }

  private async keyed(partner: PartnerContext, request: LookupRequest, key: string): Promise<LookUpResult> {
    const { isList, rupa_ids } = request;
    const rupa_id = isList ? '' : (rupa_ids[0] ?? '');
    const request_hash = createHash('sha256').update(canonicalize(request.hashed)).digest('hex');
    const begun = await this.responses.begin({ partner_id: partner.partner_id, key, rupa_id, request_hash, isList });
    if (begun.kind === 'stored') return await this.replayed(begun, request);
    const { lease } = begun;
    await this.refundAbandoned(lease, request);
    const billed = await this.store(lease, request, await this.billOrWithdraw(partner, request, lease));
    this.charges.noteStored(chargedBy(billed));
    return resultOf(request, billed, true);
  }

  private async replayed(stored: Stored, request: LookupRequest): Promise<LookUpResult> {
    if (!request.isList) return { kind: 'replayed', payload: stored.payload, counts: undefined };
    const pieces = await this.lists.piecesOf(stored, request.rupa_ids.length);
    const { json, counts } = listPayload(JSON.parse(stored.payload) as ListHead, pieces, request);
    return { kind: 'replayed', payload: successJson(json), counts };
  }

  private async bill(partner: PartnerContext, request: LookupRequest, callId: string, former_ids?: Lease['former_ids']): Promise<Billed> {
    const { outcomes, balance_kobo } = await this.billing.bill(partner, { ...request, former_ids }, idsOf(callId, request));
    return { outcomes, balance_kobo: balance_kobo ?? (await this.charges.balanceOf(partner.partner_id)) };
  }

  /** If an earlier holder of the lease was charged, its charges are refunded before this one may be. */
  private async refundAbandoned(lease: Lease, request: LookupRequest): Promise<void> {
    if (lease.abandoned === undefined) return;
    await this.charges.refundAbandoned(lease.partner_id, idsOf(lease.abandoned, request));
    await this.responses.takeOver(lease);
  }

  private async billOrWithdraw(partner: PartnerContext, request: LookupRequest, lease: Lease): Promise<Billed> {
    try {
      if (request.isList) await this.lists.begin(lease, request.rupa_ids);
      return await this.bill(partner, request, lease.lookup_id, lease.former_ids);
    } catch (error) {
      // If the charge may have been made, the row stays: the next request with the key takes it over and refunds the charge first.
      if (!(error instanceof ChargeUncertain)) await this.withdraw(lease, request);
      if (error instanceof WalletRejection && error.code === 'response_lost') this.responses.noteLost(lease);
      throw error instanceof LeaseLost ? new ApiError('idempotency_in_progress') : error;
    }
  }

  /**
   * Stores the response before it is sent; once it is stored, the charges are not refunded (docs/adr/0006). If it cannot be stored, they are
   * refunded. If the database does not tell, they stay open and the sweep of stale charges settles or refunds them. Returns what is billed.
   */
  private async store(lease: Lease, request: LookupRequest, billed: Billed): Promise<Billed> {
    try {
      if (request.isList) return await this.storeList(lease, request, billed);
      await this.responses.store(lease, resultOf(request, billed, true).payload);
    } catch (error) {
      // From here on the key's row decides, not this process.
      const ids = chargedBy(billed);
      this.charges.abandon(ids);
      if ((await this.withdraw(lease, request)) === 'stored')
        return request.isList ? await this.withStoredPieces(lease, request, billed) : billed;
      await this.charges.close(lease.partner_id, ids, 'not stored');
      if (error instanceof LeaseLost) throw new ApiError('idempotency_in_progress');
      throw error instanceof DataKeyDestroyed ? new FarmerRejection('farmer_unknown') : error;
    }
    return billed;
  }

  /** Stores a list. The lookups whose piece cannot be stored are refunded: a retry would not get what was paid for. */
  private async storeList(lease: Lease, { rupa_ids }: LookupRequest, billed: Billed): Promise<Billed> {
    const pieces = [...piecesOf(billed)].map(([index, text]) => ({ index, rupa_id: rupa_ids[index] ?? '', text }));
    const notStored = await this.lists.store(lease, JSON.stringify(headOf(billed, billed.balance_kobo)), pieces);
    return await this.without(notStored, lease, billed);
  }

  /** Reads which pieces of a list are stored, where the database did not tell. @throws if it still does not: the sweep then ends each charge by its row */
  private async withStoredPieces(lease: Lease, { rupa_ids }: LookupRequest, billed: Billed): Promise<Billed> {
    const stored = await this.lists.piecesOf(lease, rupa_ids.length);
    const lost = billed.outcomes.flatMap((each, index) => (each.kind === 'found' && !stored.has(index) ? [index] : []));
    return await this.without({ erased: new Set(), lost: new Set(lost) }, lease, billed);
  }

  /** Refunds the lookups whose pieces are not stored. Returns the rest. */
  private async without({ erased, lost }: NotStored, lease: Lease, billed: Billed): Promise<Billed> {
    if (erased.size + lost.size === 0) return billed;
    const refunded = billed.outcomes.flatMap((each, index) =>
      each.kind === 'found' && (erased.has(index) || lost.has(index)) ? [each.lookup_id] : [],
    );
    // The sweep makes a refund that fails now: no row says that these lookups have a response.
    const closed = await this.charges.closeAll(lease.partner_id, refunded, 'not stored').catch(() => undefined);
    const outcomes = billed.outcomes.map((each, index): LookupOutcome => {
      if (erased.has(index)) return { kind: 'not_found' };
      return lost.has(index) ? { kind: 'failed', code: 'internal_error' } : each;
    });
    const rest = { outcomes, balance_kobo: closed?.balance_kobo ?? billed.balance_kobo };
    // Without this, a retry would only be told another sum: the missing pieces are not found.
    await this.lists.replaceHead(lease, JSON.stringify(headOf(rest, rest.balance_kobo))).catch(() => undefined);
    return rest;
  }

  private async withdraw(lease: Lease, { isList, rupa_ids }: LookupRequest): Promise<'withdrawn' | 'stored'> {
    return isList ? await this.lists.withdraw(lease, rupa_ids.length) : await this.responses.withdraw(lease);
  }
}

/** Returns the ids of a call's lookups, which follow from the call's: of one lookup they are the same. */
function idsOf(callId: string, { isList, rupa_ids }: LookupRequest): readonly string[] {
  return isList ? rupa_ids.map((_, index) => idOfItem(callId, index)) : [callId];
}

function chargedBy({ outcomes }: Billed): readonly string[] {
  return outcomes.flatMap((each) => (each.kind === 'found' ? [each.lookup_id] : []));
}

function resultOf(request: LookupRequest, billed: Billed, stored: boolean): { readonly kind: 'billed' } & BilledCall {
  const pieces = piecesOf(billed);
  const { json, counts } = request.isList
    ? listPayload(headOf(billed, billed.balance_kobo), pieces, request)
    : { json: pieces.get(0) ?? '', counts: undefined };
  return { kind: 'billed', lookup_ids: chargedBy(billed), payload: successJson(json), stored, counts };
}
