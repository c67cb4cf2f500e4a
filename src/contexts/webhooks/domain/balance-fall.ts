import { changeOf } from '../../wallet/domain/balance-change.js';
import { type WalletEvent } from '../../wallet/domain/events.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';

/** A partner's threshold, in integer kobo, for the events after a position of the log; null for none. */
export interface ThresholdChange {
  readonly partner_id: string;
  readonly position: bigint;
  readonly threshold_kobo: number | null;
}

/** The thresholds of all partners, each with the position from which it applies. */
export class LowBalanceThresholds {
  private readonly changes = new Map<string, readonly ThresholdChange[]>();

  /** Adds a change; one that is known already changes nothing. */
  add(change: ThresholdChange): void {
    const others = (this.changes.get(change.partner_id) ?? []).filter(({ position }) => position !== change.position);
    const sorted = [...others, change].sort((one, other) => (one.position < other.position ? -1 : 1));
    this.changes.set(change.partner_id, sorted);
  }

  /** Returns the threshold that was in force at a position; null if there was none. */
  at(partnerId: string, position: bigint): number | null {
    return this.changes.get(partnerId)?.findLast((change) => change.position < position)?.threshold_kobo ?? null;
  }
}

/** The fall of a balance through its threshold, in integer kobo. */
export interface BalanceFall {
  readonly partner_id: string;
  readonly balance_kobo: number;
  readonly threshold_kobo: number;
}

/**
 * Returns the fall that an event of a wallet is, if the balance was at the threshold or above it before and is below it after. A threshold
 * that is set above the balance therefore takes effect only after the balance was above it (decisions, "Your account").
 */
export function balanceFall(event: RecordedEvent<WalletEvent>, thresholds: LowBalanceThresholds): BalanceFall | undefined {
  const change_kobo = changeOf(event);
  if (!(change_kobo < 0)) return undefined;
  const { partner_id, balance_after_kobo: balance_kobo } = event.data;
  const threshold_kobo = thresholds.at(partner_id, event.position);
  if (threshold_kobo === null || balance_kobo >= threshold_kobo || balance_kobo - change_kobo < threshold_kobo) return undefined;
  return { partner_id, balance_kobo, threshold_kobo };
}
