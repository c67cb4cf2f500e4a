/** Fields of every wallet event. They let a writer restore the state from the last few events of a long stream (docs/adr/0002). */
interface Entry {
  readonly partner_id: string;
  /** ISO 8601, UTC; never earlier than that of the previous entry. */
  readonly recorded_at: string;
  readonly actor: string;
  /** Balance after this entry, in integer kobo. */
  readonly balance_after_kobo: number;
  /** Revision of the oldest charge that was open before this entry; null if none was. */
  readonly open_from_revision: number | null;
}

/** Identifies a charge by its lookup and the revision of its debit. */
export interface ChargeReference {
  readonly lookup_id: string;
  readonly debit_revision: number;
}

export type WalletCredited = {
  readonly type: 'WalletCredited';
  readonly data: Entry & {
    readonly amount_kobo: number;
    readonly reference: string;
    /** The reason that the administrator gave. Credits recorded before the field existed do not have it. */
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
    /** Integer kobo by fee key; the fees sum to `amount_kobo`. */
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

/** Returns the name of the stream that holds a partner's credits, charges, settlements, refunds and granted consents. */
export function walletStreamOf(partnerId: string): string {
  return `wallet-${partnerId}`;
}
