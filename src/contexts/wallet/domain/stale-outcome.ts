/** Milliseconds after which a charge is closed whose instance is gone, or is not known. */
export const STALE_AFTER_MS = 60_000;

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
  state(this: void, lookupId: string): 'pending' | 'responded' | 'released';
}

export type StaleOutcome = 'settle' | 'refund' | 'wait';

const OF_OWN_CHARGE = { pending: 'wait', responded: 'settle', released: 'refund' } as const;

/**
 * Decides on a charge that was open at an earlier sweep, too. The row of an Idempotency-Key proves whether a response can have been sent.
 * Without a key only the instance that made the charge knows, so the others wait until it is gone.
 */
export function staleOutcome({ lookup_id, seenForMs, instance, present, key }: StaleCharge, sweeper: Sweeper): StaleOutcome {
  switch (key) {
    case 'stored':
      return 'settle';
    case 'leased':
      return 'wait';
    case 'abandoned':
      return 'refund';
    case 'none':
      if (instance === sweeper.instance) return OF_OWN_CHARGE[sweeper.state(lookup_id)];
      // A session can be lost for some seconds although its instance lives, for example when PostgreSQL is restarted.
      return present || seenForMs < STALE_AFTER_MS ? 'wait' : 'refund';
  }
}
