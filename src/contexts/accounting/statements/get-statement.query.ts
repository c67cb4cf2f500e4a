import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { chargesByFees, creditLines, type Entries, refundLines, totalsByType } from '../../../../projections/wallet-entry/books.reader.js';
import { breakdownOf } from '../../../../projections/wallet-entry/fees-of-entry.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { firstEntryTime, lastEntryUpTo, lastRevision } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { readSnapshot, type Snapshot } from '../../../platform/database/held-rows.js';
import { Clock } from '../../../kernel/clock.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/hash-chain.js';
import { computedUpTo } from '../../../platform/projecting/checkpoints.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { type AccountType, type Mode } from '../../../kernel/accounts.js';
import { LogIndex } from '../../evidence/public.js';
import { RegisteredPartners } from '../../partners/public.js';
import { type Issuer } from '../domain/events.js';
import { isClosed, type Month, StatementRejection } from '../domain/month.js';
import { statementNumber } from '../domain/statement-number.js';
import {
  addingUpTo,
  type CreditLine,
  type FeeTotal,
  type MovementTotals,
  type RefundLine,
  type Statement,
  statement,
} from '../domain/statement.js';
import { WALLET_EVENT_TYPES, type WalletEvent, walletStreamOf } from '../../wallet/domain/events.js';

/** The options of statements, which the application provides. */
export abstract class IssuerOptions {
  abstract readonly issuer: Issuer;
  /** The first part of the numbers of statements. */
  abstract readonly prefix: string;
}

/** The wallet's last entry at a moment: revision -1 and 64 zeros before the first entry. It ties a statement to an export of the wallet. */
export interface Head {
  readonly revision: number;
  readonly hash: string;
}

export interface PartnerStatement extends Statement, AsyncDisposable {
  /** Fixed from the month's first day on. */
  readonly statement_number: string;
  /** ISO 8601. */
  readonly made_at: string;
  /** Index of the last event of the log that was read; null if it is not known. */
  readonly as_of_index: number | null;
  readonly issuer: Issuer;
  readonly partner_id: string;
  readonly company_name: string;
  readonly account_type: AccountType;
  readonly mode: Mode;
  readonly month: Month;
  /** True once no entry of the month can follow, so that the statement never changes again. */
  readonly complete: boolean;
  readonly opening_head: Head;
  readonly closing_head: Head;
  /** Oldest first. To be read once, and before the refunds. */
  readonly credits: AsyncIterable<CreditLine>;
  /** Oldest first. To be read once. */
  readonly refunds: AsyncIterable<RefundLine>;
}

/**
 * Returns a month's statement of a partner's wallet, from its entries, to be disposed of when it was read. Raises Rejection
 * `partner_unknown`, or `statement_unknown` for a month that has not begun or that ended before the partner's beginning.
 */
export class GetStatement extends Query<PartnerStatement> {
  constructor(
    readonly partnerId: string,
    readonly month: Month,
  ) {
    super();
  }
}

@QueryHandler(GetStatement)
export class GetStatementHandler implements IQueryHandler<GetStatement> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly partners: RegisteredPartners,
    private readonly clock: Clock,
    private readonly options: IssuerOptions,
    private readonly logIndex: LogIndex,
  ) {}

  async execute({ partnerId, month }: GetStatement): Promise<PartnerStatement> {
    const { registered_at, ...partner } = await this.partners.get(partnerId);
    const made_at = this.clock.iso();
    if (month.from > made_at) throw new StatementRejection('statement_unknown');
    await this.readModels.waitForStream(walletStreamOf(partnerId), [walletEntryProjection]);
    // Balances and movements must come from the same snapshot, because entries may be written in between.
    return await readSnapshot(this.pool, async (snapshot) => {
      const statement_number = statementNumber(partnerId, month, await beginning(snapshot, partnerId, registered_at));
      if (statement_number === undefined) throw new StatementRejection('statement_unknown');
      const { hasLaterEntry, ...found } = await readStatement(snapshot, partnerId, month);
      const complete = isClosed(month, made_at, hasLaterEntry);
      const as_of_index = await this.logIndex.at(snapshot, await computedUpTo(snapshot, [walletEntryProjection.name]));
      return { statement_number, made_at, as_of_index, issuer: this.options.issuer, ...partner, month, complete, ...found };
    });
  }
}

/** Returns the earlier of the partner's registration and its wallet's first entry, whose times may come from different clocks. */
async function beginning(snapshot: Snapshot, partnerId: string, registeredAt: string): Promise<string> {
  const first = await firstEntryTime(snapshot, partnerId);
  return first !== undefined && first < registeredAt ? first : registeredAt;
}

type ReadStatement = Statement &
  Pick<PartnerStatement, 'credits' | 'refunds' | 'opening_head' | 'closing_head'> & { readonly hasLaterEntry: boolean };

async function readStatement(snapshot: Snapshot, partnerId: string, month: Month): Promise<ReadStatement> {
  const [opening, closing] = [await lastBefore(snapshot, partnerId, month.from), await lastBefore(snapshot, partnerId, month.until)];
  const entries: Entries = [partnerId, opening.revision, closing.revision];
  const found = statement(opening.balance_kobo, await movementTotals(snapshot, entries), closing.balance_kobo);
  const credits = await creditLines(snapshot, entries, typesIn('credits'));
  const refunds = await refundLines(snapshot, entries, typesIn('refunds'));
  return {
    ...found,
    opening_head: { revision: opening.revision, hash: opening.hash },
    closing_head: { revision: closing.revision, hash: closing.hash },
    hasLaterEntry: ((await lastRevision(snapshot, partnerId)) ?? -1) > closing.revision,
    credits: addingUpTo(found.totals_kobo.credits, credits),
    refunds: addingUpTo(found.totals_kobo.refunds, refunds),
  };
}

/** Returns the wallet's last entry before a time. */
async function lastBefore(snapshot: Snapshot, partnerId: string, time: string): Promise<Head & { readonly balance_kobo: number }> {
  const last = await lastEntryUpTo(snapshot, partnerId, '<', time);
  return last
    ? { revision: last.revision, hash: last.hash, balance_kobo: last.balance_after_kobo }
    : { revision: -1, hash: GENESIS_HASH, balance_kobo: 0 };
}

/** A statement shows the entries of a type in this place. Reversals and payouts are negative credits. */
const PLACES: { readonly [Type in WalletEvent['type']]: 'credits' | 'lookups' | 'refunds' | null } = {
  WalletCredited: 'credits',
  CreditReversed: 'credits',
  WalletPaidOut: 'credits',
  WalletDebited: 'lookups',
  RefundIssued: 'refunds',
  LookupCompensated: 'refunds',
  ConsentGranted: null,
  ChargesSettled: null,
};
const typesIn = (place: 'credits' | 'refunds') => WALLET_EVENT_TYPES.filter((type) => PLACES[type] === place);

async function movementTotals(snapshot: Snapshot, entries: Entries): Promise<MovementTotals> {
  const byType = await totalsByType(snapshot, entries);
  const charges = await chargesByFees(snapshot, entries);
  const of = (place: 'credits' | 'lookups' | 'refunds') => byType.filter(({ type }) => PLACES[type] === place);
  return {
    credits_kobo: sumOf(of('credits')),
    refunds_kobo: sumOf(of('refunds')),
    lookups: of('lookups')[0]?.count ?? 0,
    fees: feeTotals(charges),
  };
}

/** Sums the fees by their keys, in the order of the keys. */
function feeTotals(charges: Awaited<ReturnType<typeof chargesByFees>>): FeeTotal[] {
  const totals = new Map<string, FeeTotal>();
  for (const { count, ...entry } of charges)
    for (const [key, fee_kobo] of Object.entries(breakdownOf(entry) ?? {})) {
      const { count: before, amount_kobo } = totals.get(key) ?? { count: 0, amount_kobo: 0 };
      totals.set(key, { key, count: before + count, amount_kobo: amount_kobo + fee_kobo * count });
    }
  return [...totals.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function sumOf(totals: readonly { readonly amount_kobo: number }[]): number {
  return totals.reduce((sum, { amount_kobo }) => sum + amount_kobo, 0);
}
