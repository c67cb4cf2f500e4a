import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Pool } from 'pg';
import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { TooManyRequests } from '../../../http/limiting/rate-limits.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { NOTIFICATIONS_CHANNEL } from '../notifying/notification-writer.js';

/** Calls of one partner that may wait at the same time, per instance. */
export const MAX_WAITING_PER_PARTNER = 10;
const RETRY_AFTER_SECONDS = 1;

const c = columnsOf<ConsentRosterRow>('c');

/**
 * Partners of those in $2 for whom there are notifications after $1, and the sequence of the newest. `offset 0` makes PostgreSQL look for each
 * farmer's consents; it might otherwise read all consents of those partners.
 */
const NEWS = `with fresh as materialized (select partner_id, rupa_id from ops.notification where sequence > $1::numeric)
  select (select max(sequence) from ops.notification) as newest, array(
    select partner_id from fresh where partner_id = any($2)
    union select r.partner_id from ops.notification_recipient r where r.partner_id = any($2) and r.sequence > $1::numeric
    union select ${c.partner_id} from (select distinct rupa_id from fresh where partner_id is null) f
    cross join lateral (select ${c.partner_id} from read.consent_roster c where ${c.rupa_id} = f.rupa_id and ${c.partner_id} = any($2) offset 0) c) as partners`;

/** A call that waits for events. */
class Waiter {
  private arrived = Promise.withResolvers<undefined>();

  constructor(
    readonly partnerId: string,
    private readonly closing: AbortSignal,
  ) {}

  wake(): void {
    this.arrived.resolve(undefined);
  }

  /** Returns true when there may be an event since the last call; false after `ms`, or when `gone` is aborted or the service stops. */
  async next(ms: number, gone: AbortSignal): Promise<boolean> {
    if (gone.aborted || this.closing.aborted || ms <= 0) return false;
    const ended = Promise.withResolvers<false>();
    const end = (): void => {
      ended.resolve(false);
    };
    const timer = setTimeout(end, ms);
    for (const signal of [gone, this.closing]) signal.addEventListener('abort', end);
    try {
      const woken = await Promise.race([this.arrived.promise.then(() => true), ended.promise]);
      this.arrived = Promise.withResolvers<undefined>();
      return woken;
    } finally {
      clearTimeout(timer);
      for (const signal of [gone, this.closing]) signal.removeEventListener('abort', end);
    }
  }
}

/**
 * Wakes the calls that wait for events. A waiting call holds no connection to the database. However many wait, each notification of
 * PostgreSQL costs one query, which finds the partners that have news.
 */
@Injectable()
export class EventArrivals implements OnModuleDestroy {
  private readonly waiting = new Map<string, Set<Waiter>>();
  private readonly closing = new AbortController();
  /** The newest notification that waiting calls were told of; undefined if none were waiting. */
  private newest: string | undefined;
  private isDue = false;
  private isChecking = false;

  constructor(
    listener: ReadModelListener,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {
    listener.onNotification(NOTIFICATIONS_CHANNEL, () => {
      this.isDue = true;
      void this.check();
    });
  }

  onModuleDestroy(): void {
    this.closing.abort();
  }

  /**
   * Runs a call that may wait for events of a partner. The call must look for events before it waits: it is told of those that arrive after
   * it began.
   * @throws TooManyRequests if too many calls of the partner are waiting
   */
  async wait<T>(partnerId: string, call: (waiter: Pick<Waiter, 'next'>) => Promise<T>): Promise<T> {
    const calls = this.waiting.get(partnerId) ?? new Set();
    if (calls.size >= MAX_WAITING_PER_PARTNER) throw new TooManyRequests(RETRY_AFTER_SECONDS);
    const waiter = new Waiter(partnerId, this.closing.signal);
    this.waiting.set(partnerId, calls.add(waiter));
    try {
      return await call(waiter);
    } finally {
      calls.delete(waiter);
      if (calls.size === 0) this.waiting.delete(partnerId);
      if (this.waiting.size === 0) this.newest = undefined;
    }
  }

  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    while (this.isDue && this.waiting.size > 0 && !this.closing.signal.aborted) {
      this.isDue = false;
      const partners = [...this.waiting.keys()];
      // If the database does not respond, the calls find out themselves.
      const woken = await this.partnersWithNews(partners).catch(() => partners);
      for (const partnerId of woken) for (const waiter of this.waiting.get(partnerId) ?? []) waiter.wake();
    }
    this.isChecking = false;
  }

  private async partnersWithNews(partners: readonly string[]): Promise<readonly string[]> {
    const since = this.newest;
    const { rows } = await this.pool.query<{ newest: string | null; partners: string[] }>(NEWS, [since ?? null, partners]);
    const [found] = rows;
    if (this.waiting.size > 0) this.newest = found?.newest ?? undefined;
    return since === undefined ? partners : (found?.partners ?? []);
  }
}
