import { type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { changeOf } from './balance-change.js';
import { type WalletEvent } from './events.js';
import {
  type ChainedEntry,
  type ChainHead,
  chainRules,
  type Checked,
  moneyRules,
  nextRevision,
  type Rule,
  type WalletRule,
} from './wallet-rules.js';

export type { ChainedEntry, ChainHead } from './wallet-rules.js';

/** An open charge is refunded after a minute (src/contexts/wallet/stale-charges.ts); one this old was forgotten. */
const OPEN_AT_MOST_MS = 2 * 60_000;

export interface WalletFault {
  /** Of the entry that breaks the rule. */
  readonly revision: number;
  readonly rule: WalletRule;
  /** For the auditor. */
  readonly sentence: string;
}

export interface WalletVerification {
  readonly ok: boolean;
  /** How many entries hold: all of them, or those before the fault. */
  readonly entries: number;
  /** The last entry that holds, to be noted for the next time. */
  readonly head: ChainHead | null;
  readonly open_charges: number;
  readonly fault: WalletFault | null;
}

/** Checks every rule of a wallet, entry by entry from the first, and stops at the first fault. Its memory is that of open charges and credits. */
export class WalletVerifier {
  private readonly checked: Checked;
  private fault: WalletFault | undefined;

  constructor(stream: string, since?: ChainHead) {
    this.checked = { stream, since, head: null, balance_kobo: 0, recorded_at: '', open: new Map(), references: new Set() };
  }

  /** Answers whether the entry holds; false for every one after a fault, too. */
  add(entry: ChainedEntry): boolean {
    const event = entry as unknown as AtRevision<WalletEvent>;
    this.fault ??= this.firstBroken(chainRules, entry) ?? this.firstBroken(moneyRules, event);
    if (this.fault) return false;
    this.accept(event, entry.metadata?.hash ?? '');
    return true;
  }

  /** Once every entry was added. @param now ISO 8601, UTC. */
  result(now: string): WalletVerification {
    const { head, open } = this.checked;
    const fault = this.fault ?? this.cutOff() ?? this.forgotten(now) ?? null;
    return { ok: fault === null, entries: nextRevision(head), head, open_charges: open.size, fault };
  }

  private firstBroken<Entry>(rules: readonly Rule<Entry>[], entry: Entry): WalletFault | undefined {
    for (const [rule, faultOf] of rules) {
      const sentence = faultOf(entry, this.checked);
      if (sentence !== undefined) return { revision: nextRevision(this.checked.head), rule, sentence };
    }
    return undefined;
  }

  private accept(event: AtRevision<WalletEvent>, hash: string): void {
    const { checked } = this;
    const revision = Number(event.revision);
    checked.head = { revision, hash };
    checked.balance_kobo += changeOf(event);
    checked.recorded_at = event.data.recorded_at;
    switch (event.type) {
      case 'WalletCredited':
        checked.references.add(event.data.reference);
        break;
      case 'WalletDebited': {
        const { lookup_id, recorded_at, rupa_id, amount_kobo } = event.data;
        checked.open.set(lookup_id, { revision, debited_at: recorded_at, rupa_id, amount_kobo });
        break;
      }
      case 'ChargesSettled':
        for (const { lookup_id } of event.data.charges) checked.open.delete(lookup_id);
        break;
      case 'RefundIssued':
        checked.open.delete(event.data.lookup_id);
        break;
      case 'ConsentGranted':
    }
  }

  private cutOff(): WalletFault | undefined {
    const { since, head } = this.checked;
    if (!since || since.revision < nextRevision(head)) return undefined;
    const end = head ? `ends at revision ${head.revision}` : 'is empty';
    return { revision: since.revision, rule: 'since', sentence: `The entry noted earlier is gone: the wallet ${end}.` };
  }

  private forgotten(now: string): WalletFault | undefined {
    const [oldest] = this.checked.open;
    if (!oldest) return undefined;
    const [lookupId, { revision, debited_at }] = oldest;
    if (Date.parse(now) - Date.parse(debited_at) <= OPEN_AT_MOST_MS) return undefined;
    return {
      revision,
      rule: 'open_too_long',
      sentence: `The lookup ${lookupId} was charged at ${debited_at} and is neither settled nor refunded.`,
    };
  }
}

/** REVISION:HASH as an auditor noted it; undefined for anything else. */
export function parseChainHead(text: string): ChainHead | undefined {
  const [, revision, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  return revision === undefined || hash === undefined ? undefined : { revision: Number(revision), hash: hash.toLowerCase() };
}
