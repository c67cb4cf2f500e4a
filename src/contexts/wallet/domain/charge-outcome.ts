/** Milliseconds after which a charge is closed whose instance is gone, or is not known. */
export const STALE_AFTER_MS = 60_000;

/**
 * Seconds for which a request holds the lease of an Idempotency-Key. Longer than a lookup may take from inserting its row to storing its
 * response, so that at most one holder of the lease stores one. A lease that ends later than this from now was taken before the database's
 * clock was set back: it is not valid.
 */
export const LEASE_SECONDS = 20;

/** A refund's reason is recorded with it. A charge that waits stays open. */
export type ChargeOutcome = 'settle' | 'wait' | { readonly refund: string };

/** The outcome of a charge, by what is known of the response that it was made for (interface, section 4.2, rule 7). */
const OUTCOMES = {
  /** It was handed to the socket. A partner that disconnected early is charged, because the response was on its way. */
  sent: 'settle',
  /** A retry with the Idempotency-Key gets it (docs/adr/0006). */
  stored: 'settle',
  /** It may still be sent. */
  pending: 'wait',
  failed: { refund: 'the response failed' },
  'not stored': { refund: 'the response could not be stored' },
  /** The process that made the charge is gone, or no longer intends to send a response. */
  abandoned: { refund: 'no response was sent for the lookup' },
  /** The lookup was refused, because the charge was not confirmed in time. */
  'charged too late': { refund: 'the charge came too late for a response' },
  'failed on purpose': { refund: 'lookups of this test farmer fail' },
} as const satisfies Readonly<Record<string, ChargeOutcome>>;

export type ResponseState = keyof typeof OUTCOMES;

/** Decides what becomes of a charge. Nothing else settles or refunds a lookup. */
export function chargeOutcome(response: ResponseState): ChargeOutcome {
  return OUTCOMES[response];
}

/** An open charge as a sweeper sees it. */
export interface StaleCharge {
  readonly lookup_id: string;
  /** For how long the sweeper has seen the charge open, in milliseconds of its own stopwatch. */
  readonly seenForMs: number;
  /** The instance that made the charge; null if a release made it that did not record this. */
  readonly instance: number | null;
  /** Whether that instance exists, so that it may still send the response, or settle what it has sent. */
  readonly present: boolean;
  /** The Idempotency-Key's row: the lookup has none, a request holds its lease, none does, or the response is stored. */
  readonly key: 'none' | 'leased' | 'abandoned' | 'stored';
}

/** The sweeper's own instance, and what it knows about the charges that it made. */
export interface Sweeper {
  readonly instance: number;
  responseOf(this: void, lookupId: string): ResponseState;
}

/**
 * Returns what a sweeper concludes about the response of a charge that was open at an earlier sweep, too. The row of an Idempotency-Key
 * proves whether a response can have been sent. Without a key only the instance that made the charge knows, so the others wait until it is
 * gone.
 */
export function responseOfStale({ lookup_id, seenForMs, instance, present, key }: StaleCharge, sweeper: Sweeper): ResponseState {
  if (key === 'leased') return 'pending';
  if (key !== 'none') return key;
  if (instance === sweeper.instance) return sweeper.responseOf(lookup_id);
  // A session can be lost for some seconds although its instance lives, for example when PostgreSQL is restarted.
  return present || seenForMs < STALE_AFTER_MS ? 'pending' : 'abandoned';
}
