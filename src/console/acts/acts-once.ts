import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Pool } from 'pg';
import {
  beginRow,
  deleteWithoutResponse,
  endLease,
  keyHashOf,
  storeResponse,
} from '../../platform/stored-responses/stored-response-table.js';
import { bindingOf, type EncryptedTexts } from './kept-things.js';

/** Stands for the partner in the table of stored responses. */
const SCOPE = 'console/acts';
/** Seconds in which an act ends for sure, or else the process that carried it out has died. */
const LEASE_SECONDS = 120;
/** Hours for which a result is stored, as for the interface's own keys. */
const RETENTION_HOURS = 24;
const POLL_MS = 100;
/** Milliseconds for which a repeated submission waits for the result of the first one. */
const WAIT_MS = 30_000;

/** The end of an act: the page that is shown next, and what it says there. */
export interface Result {
  readonly goTo: string;
  readonly said?: { readonly tone: 'good' | 'warn' | 'bad'; readonly text: string };
  /** Nothing has changed, so the same form may be submitted again, and what was typed into it is kept. */
  readonly refused?: boolean;
  /** It is not known whether anything has changed. What was typed is kept; the same form is not carried out again. */
  readonly unknown?: boolean;
}

/** How a submission ends that has no result of its own. */
export type Outcome = Result | 'other-values' | 'running' | 'interrupted';

interface Submission {
  /** The form's key. */
  readonly key: string;
  /** SHA-256 of the path and of what was typed. */
  readonly hash: string;
}

/**
 * Carries out the act of a form once, whichever APIs its submissions reach: they share the table of Idempotency-Keys. Submissions that come
 * while the first one runs wait for its result.
 */
export class ActsOnce {
  constructor(
    private readonly pool: Pool,
    private readonly texts: EncryptedTexts,
    private readonly waitMs = WAIT_MS,
  ) {}

  /**
   * Carries out the act, or returns the result of the earlier submission: `other-values` if that one differed, `running` if it does not end,
   * `interrupted` if its process died or failed, so that nobody knows whether it had an effect.
   */
  async run({ key, hash }: Submission, perform: () => Promise<Result>): Promise<Outcome> {
    const row = { partner_id: SCOPE, key_hash: keyHashOf(key), request_hash: hash, rupa_id: '' };
    const own = { ...row, holder: randomUUID(), lookup_id: randomUUID() };
    const until = performance.now() + this.waitMs;
    while (performance.now() < until) {
      const begun = await beginRow(this.pool, own, { leaseSeconds: LEASE_SECONDS, retentionHours: RETENTION_HOURS });
      if (begun && begun.request_hash !== hash) return 'other-values';
      if (begun?.response != null) return this.stored(begun.response, bindingOf(row));
      if (begun?.holder === own.holder) {
        if (begun.lookup_id === own.lookup_id) return await this.first(own, perform);
        // The id of the interrupted submission stays, so that every later one learns of it, too.
        await endLease(this.pool, own, begun.lookup_id);
        return 'interrupted';
      }
      await delay(POLL_MS);
    }
    return 'running';
  }

  private async first(own: Parameters<typeof endLease>[1], perform: () => Promise<Result>): Promise<Result> {
    let result: Result;
    try {
      result = await perform();
    } catch (error) {
      await endLease(this.pool, own, randomUUID());
      throw error;
    }
    if (result.refused) await deleteWithoutResponse(this.pool, own);
    else await storeResponse(this.pool, own, this.texts.encrypt(JSON.stringify(result), bindingOf(own)), LEASE_SECONDS);
    return result;
  }

  private stored(response: string, binding: string): Outcome {
    const text = this.texts.decrypt(response, binding);
    return text === undefined ? 'interrupted' : (JSON.parse(text) as Result);
  }
}
