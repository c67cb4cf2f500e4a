import { type ReportedPolicy } from '../../src/contexts/farmers/domain/reported-item.js';
import { type ContributionRow } from '../contribution/contribution-table.js';
import { iso, MAX_LISTED, newestFirst, policyOf } from './reported-lists.js';

/**
 * The policies of a farmer, kept so that those in force at any later time follow from it: time passes without an event, so they expire
 * between the last write and a read.
 */
export interface KeptPolicies {
  /** When the last of the policies was reported, in ISO 8601. Policies that had expired by then are in no later list or sum. */
  readonly as_of: string | null;
  /** Every policy that is among the newest 100 in force at some time, the newest first. */
  readonly listed: readonly ReportedPolicy[];
  /** Sums of the amounts in NGN, in kobo as decimal text, by the end of the policies; null for those without one, which come last. */
  readonly sums: readonly (readonly [expires_at: string | null, kobo: string])[];
}

export const NO_POLICIES: KeptPolicies = { as_of: null, listed: [], sums: [] };

/** Returns the policies with more of them. Adding them one by one, in any order, has the same result. */
export function withPolicies(kept: KeptPolicies, rows: readonly ContributionRow[]): KeptPolicies {
  if (rows.length === 0) return kept;
  const asOf = rows.reduce((latest, { updated_at }) => Math.max(latest, Date.parse(updated_at)), Date.parse(kept.as_of ?? '1970'));
  const isLater = (expiresAt: string | null): boolean => endOf(expiresAt) > asOf;
  const sums = new Map(kept.sums.map(([end, kobo]) => [end, BigInt(kobo)]));
  for (const row of rows) {
    const end = row.expires_at === null ? null : iso(row.expires_at);
    if (row.currency === 'NGN') sums.set(end, (sums.get(end) ?? 0n) + BigInt(row.amount_minor ?? 0));
  }
  return {
    as_of: new Date(asOf).toISOString(),
    listed: everListed([...kept.listed, ...rows.map(policyOf)].filter(({ expires_at }) => isLater(expires_at))),
    sums: [...sums]
      .filter(([end, kobo]) => kobo !== 0n && isLater(end))
      .toSorted(([one], [other]) => byEnd(endOf(one), endOf(other)))
      .map(([end, kobo]) => [end, kobo.toString()]),
  };
}

/** Returns the newest policies in force at a time, and the sum of all in force. */
export function policiesAt({ listed, sums }: KeptPolicies, at: string): { newest: readonly ReportedPolicy[]; total_kobo: number } {
  const isInForce = (expiresAt: string | null): boolean => endOf(expiresAt) > Date.parse(at);
  const total = sums.reduce((sum, [end, kobo]) => (isInForce(end) ? sum + BigInt(kobo) : sum), 0n);
  return { newest: listed.filter(({ expires_at }) => isInForce(expires_at)).slice(0, MAX_LISTED), total_kobo: Number(total) };
}

/**
 * Returns the policies that are among the newest 100 in force at some time. A policy never is if 100 newer ones are in force for as long, and
 * those that this function has left out need not be counted, because each of them has 100 such itself.
 */
function everListed(policies: readonly ReportedPolicy[]): readonly ReportedPolicy[] {
  const ends: number[] = [];
  return policies.toSorted(newestFirst).filter(({ expires_at }) => {
    const end = endOf(expires_at);
    const at = firstFrom(ends, end);
    if (ends.length - at >= MAX_LISTED) return false;
    ends.splice(at, 0, end);
    return true;
  });
}

/** Returns the index of the first of the ascending numbers that is not less. */
function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ascending[middle] ?? Infinity) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function endOf(expiresAt: string | null): number {
  return expiresAt === null ? Infinity : Date.parse(expiresAt);
}

/** The difference of two policies without an end is not a number. */
function byEnd(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
