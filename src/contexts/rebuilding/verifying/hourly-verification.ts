import { type Clock } from '../../../kernel/clock.js';
import { type VerificationLease } from './verification-lease.js';

/** How often a process asks whether a verification is due, and how often it renews its lease while it verifies. */
export const ASKED_EVERY_MS = 60_000;

const LEASE_LOST = 'The process that verified could not renew its lease in time.';

export interface HourlyVerificationParts {
  readonly clock: Clock;
  readonly lease: Pick<VerificationLease, 'claim' | 'renew' | 'end'>;
  /** Returns whether the tables are those of this release. Otherwise a process of another release has to verify them. */
  mayVerify(this: void): Promise<boolean>;
  /** Compares the tables with the log, and records the rows that differ. */
  verify(this: void, signal: AbortSignal): Promise<void>;
  onFailed(this: void, error: unknown): void;
}

/**
 * Verifies every hour the tables by which calls decide, so that a row that somebody deleted is named (docs/adr/0042). Any number of processes
 * may run it: the lease lets one of them verify at a time.
 */
export class HourlyVerification {
  constructor(private readonly parts: HourlyVerificationParts) {}

  /** Runs until `signal` is aborted, which also ends a verification. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onFailed } = this.parts;
    const stopping = (): boolean => signal.aborted;
    while (!stopping()) {
      await this.verifyIfDue(signal).catch((error: unknown) => {
        if (!stopping()) onFailed(error);
      });
      if (!stopping()) await clock.delay(ASKED_EVERY_MS, signal).catch(() => undefined);
    }
  }

  private async verifyIfDue(signal: AbortSignal): Promise<void> {
    const { lease, mayVerify, verify } = this.parts;
    if (!(await mayVerify()) || !(await lease.claim())) return;
    const [ended, lost] = [new AbortController(), new AbortController()];
    const renewing = this.renew(ended.signal, lost);
    let isDone = false;
    try {
      await verify(AbortSignal.any([signal, lost.signal]));
      isDone = true;
    } finally {
      ended.abort();
      await renewing;
      await lease.end(isDone);
    }
  }

  /** Renews the lease until `ended`. Aborts `lost` once another process may verify. */
  private async renew(ended: AbortSignal, lost: AbortController): Promise<void> {
    const { clock, lease } = this.parts;
    const stopping = (): boolean => ended.aborted;
    for (;;) {
      await clock.delay(ASKED_EVERY_MS, ended).catch(() => undefined);
      if (stopping()) return;
      // An outage of the database is no loss: the next statement of this process tells whether the lease has run out.
      if (await lease.renew().catch(() => true)) continue;
      lost.abort(new Error(LEASE_LOST));
      return;
    }
  }
}
