import { Injectable } from '@nestjs/common';
import { closedPeriod } from '../../../../projections/ledger-period/ledger-period.reader.js';
import { type LedgerPeriodRow } from '../../../../projections/ledger-period/ledger-period.projection.js';
import { creditLines, type Entries, feeMovements, refundLines, totalsByType } from '../../../../projections/wallet-entry/books.reader.js';
import { firstEntry, lastEntryUpTo } from '../../../../projections/wallet-entry/wallet-entry.reader.js';
import { type AccountType, type Mode } from '../../../kernel/accounts.js';
import { type Snapshot } from '../../../platform/database/held-rows.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/stream-kind.js';
import { type RegisteredPartner } from '../../../../projections/partner/partner.reader.js';
import { Customers, type LegalDetails } from '../../partners/public.js';
import { WALLET_EVENT_TYPES, type WalletEvent, walletStreamOf } from '../../wallet/domain/events.js';
import { type Issuer } from '../domain/events.js';
import { LEDGER_STREAMS } from '../domain/ledger.js';
import { type Month, monthBefore, StatementRejection } from '../domain/month.js';
import { sumOf } from '../domain/statements/statement-lines.js';
import {
  addingUpTo,
  type CreditLine,
  isTaxInvoice,
  type MovementTotals,
  type RefundLine,
  type Statement,
  statement,
  statementNumber,
} from '../domain/statements/statement.js';

/** The wallet's last entry at a moment: revision -1 and 64 zeros before the first entry. It ties a statement to an export of the wallet. */
export interface Head {
  readonly revision: number;
  readonly hash: string;
}

/** The partner as a customer of the accounts department. */
export interface StatementCustomer {
  readonly number: number;
  readonly company_name: string;
  readonly legal: LegalDetails;
}

/** A month's statement of a partner's wallet. Of a closed month, it is the same whenever it is made. */
export interface PartnerStatement extends Statement {
  /** Null while the month is open. */
  readonly statement_number: string | null;
  readonly status: 'open' | 'closed';
  readonly is_tax_invoice: boolean;
  /** ISO 8601. When the month was closed; of an open month, when this copy was made. */
  readonly made_at: string;
  /** Index of the last event of the log that was read; null if it is not known. */
  readonly as_of_index: number | null;
  readonly issuer: Issuer;
  readonly partner_id: string;
  readonly customer: StatementCustomer;
  readonly account_type: AccountType;
  readonly mode: Mode;
  readonly month: Month;
  readonly opening_head: Head;
  readonly closing_head: Head;
  /** Oldest first. To be read once, and before the refunds. */
  readonly credits: AsyncIterable<CreditLine>;
  /** Oldest first. To be read once. */
  readonly refunds: AsyncIterable<RefundLine>;
}

/** The present, which an open month's statement is made from in place of a close. */
export interface OpenPeriod extends Pick<LedgerPeriodRow, 'issuer' | 'recorded_at' | 'index'> {
  readonly prefix: null;
  readonly position: null;
}

/** Reads the statements of partners (finance, "Statements and invoices"). */
@Injectable()
export class Statements {
  constructor(private readonly customers: Customers) {}

  /**
   * Returns a month's statement of a partner, whose lists may be read after the snapshot has ended. Of a closed month it follows from the
   * close and from what the log has before it, so that no later event changes it: neither one that a wrong clock dates into the month, nor a
   * change of the partner's details. Raises Rejection `statement_unknown` for a month that ended before the partner's beginning.
   * @param snapshot must show the wallet's entries up to the close
   * @param period the close of the month, or the present for an open month
   */
  async of(snapshot: Snapshot, partner: RegisteredPartner, month: Month, period: LedgerPeriodRow | OpenPeriod): Promise<PartnerStatement> {
    const { partner_id, account_type, mode } = partner;
    if ((await beginning(snapshot, partner, period.position)) >= month.until) throw new StatementRejection('statement_unknown');
    const customer = await this.customer(snapshot, partner, period.position);
    const found = await readStatement(snapshot, partner, month, period.position);
    const { name, address, tax_id } = period.issuer;
    const issuer = { name, address, tax_id };
    return {
      statement_number: period.prefix === null ? null : statementNumber(period.prefix, month, customer.number),
      status: period.position === null ? 'open' : 'closed',
      is_tax_invoice: isTaxInvoice(found, issuer, mode),
      made_at: period.recorded_at,
      as_of_index: period.index,
      issuer,
      partner_id,
      customer,
      account_type,
      mode,
      month,
      ...found,
    };
  }

  private async customer(snapshot: Snapshot, partner: RegisteredPartner, before: string | null): Promise<StatementCustomer> {
    const { partner_id, company_name } = partner;
    const { customer_number: number, legal } = await this.customers.in(snapshot, partner_id);
    if (before === null) return { number, company_name, legal };
    const details = await this.customers.detailsBefore(partner_id, BigInt(before));
    if (!details) throw new StatementRejection('statement_unknown');
    return { number, ...details };
  }
}

/** The streams whose last events the read models must show before a statement is read. */
export function streamsOfStatement({ partner_id, mode }: RegisteredPartner): { readonly wallet: string; readonly ledger: string } {
  return { wallet: walletStreamOf(partner_id), ledger: `${LEDGER_STREAMS.category}-${mode}` };
}

/** Returns the earlier of the partner's registration and its wallet's first entry, whose times may come from different clocks. */
async function beginning(snapshot: Snapshot, { partner_id, registered_at }: RegisteredPartner, before: string | null): Promise<string> {
  const first = await firstEntry(snapshot, partner_id);
  if (!first || (before !== null && BigInt(first.position) >= BigInt(before))) return registered_at;
  return first.recorded_at < registered_at ? first.recorded_at : registered_at;
}

type Read = Statement & Pick<PartnerStatement, 'credits' | 'refunds' | 'opening_head' | 'closing_head'>;

/**
 * Reads the entries of a month, from where the statement of the month before ends. An entry that a wrong clock dates into a month that is
 * closed is therefore in the next statement, and no entry is between two of them.
 */
async function readStatement(
  snapshot: Snapshot,
  { partner_id, mode }: RegisteredPartner,
  month: Month,
  before: string | null,
): Promise<Read> {
  const previous = await closedPeriod(snapshot, mode, monthBefore(month).name);
  const opening = await lastBefore(snapshot, partner_id, month.from, previous?.position ?? before);
  const closing = await lastBefore(snapshot, partner_id, month.until, before);
  const entries: Entries = [partner_id, opening.revision, closing.revision];
  const found = statement(opening.balance_kobo, await movementTotals(snapshot, entries), closing.balance_kobo);
  const credits = await creditLines(snapshot, entries, typesIn('credits'));
  const refunds = await refundLines(snapshot, entries, typesIn('refunds'));
  return {
    ...found,
    opening_head: { revision: opening.revision, hash: opening.hash },
    closing_head: { revision: closing.revision, hash: closing.hash },
    credits: addingUpTo(found.totals_kobo.credits, credits),
    refunds: addingUpTo(found.totals_kobo.refunds, refunds),
  };
}

/** Returns the wallet's last entry before a time and before a position in $all; null for any position. */
async function lastBefore(
  snapshot: Snapshot,
  partnerId: string,
  time: string,
  position: string | null,
): Promise<Head & { readonly balance_kobo: number }> {
  const last = await lastEntryUpTo(snapshot, partnerId, '<', time, position);
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
const typesIn = (...places: readonly (typeof PLACES)[WalletEvent['type']][]) =>
  WALLET_EVENT_TYPES.filter((type) => places.includes(PLACES[type]));

async function movementTotals(snapshot: Snapshot, entries: Entries): Promise<MovementTotals> {
  const byType = await totalsByType(snapshot, entries);
  const of = (place: 'credits' | 'lookups' | 'refunds') => byType.filter(({ type }) => PLACES[type] === place);
  return {
    credits_kobo: sumOf(of('credits'), 'amount_kobo'),
    refunds_kobo: sumOf(of('refunds'), 'amount_kobo'),
    lookups: of('lookups')[0]?.count ?? 0,
    fees: await feeMovements(snapshot, entries, typesIn('lookups', 'refunds')),
  };
}
