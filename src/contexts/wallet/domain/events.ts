/** Carried by every wallet event, so that the last few of a long stream tell its whole state. */
interface Entry {
  readonly partner_id: string;
  /** ISO 8601, UTC; never before the previous entry's. */
  readonly recorded_at: string;
  readonly actor: string;
  /** Integer kobo. */
  readonly balance_after_kobo: number;
  /** Revision of the oldest charge that was neither settled nor refunded before this entry; null for none. */
  readonly open_from_revision: number | null;
}

/** A charge by its lookup and the revision of its debit. */
export interface ChargeReference {
  readonly lookup_id: string;
  readonly debit_revision: number;
}

export type WalletCredited = {
  readonly type: 'WalletCredited';
  readonly data: Entry & {
    readonly amount_kobo: number;
    readonly reference: string;
    /** Why, where somebody said so; credits from before it was asked for have none. */
    readonly reason?: string | null;
  };
};

export type WalletDebited = {
  readonly type: 'WalletDebited';
  readonly data: Entry & {
    readonly lookup_id: string;
    readonly rupa_id: string;
    readonly source: string;
    readonly amount_kobo: number;
    /** Fee key to integer kobo; sums to `amount_kobo`. */
    readonly breakdown_kobo: Readonly<Record<string, number>>;
    readonly price_book_version: number;
    readonly key_id: string;
  };
};

export type ConsentGranted = {
  readonly type: 'ConsentGranted';
  readonly data: Entry & { readonly lookup_id: string; readonly rupa_id: string; readonly source: string };
};

export type ChargesSettled = {
  readonly type: 'ChargesSettled';
  readonly data: Entry & { readonly charges: readonly ChargeReference[] };
};

export type RefundIssued = {
  readonly type: 'RefundIssued';
  readonly data: Entry & ChargeReference & { readonly rupa_id: string; readonly amount_kobo: number; readonly reason: string };
};

export type WalletEvent = WalletCredited | WalletDebited | ConsentGranted | ChargesSettled | RefundIssued;

/** The stream that holds everything a partner was charged, credited and granted. */
export function walletStreamOf(partnerId: string): string {
  return `wallet-${partnerId}`;
}
