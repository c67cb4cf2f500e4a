import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Pool } from 'pg';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { isBeforeSequence } from '../../../platform/projecting/checkpoints.js';
import { ERASED_TYPE } from '../domain/notification-types.js';
import { consentCount, genuineConsents } from '../../../../projections/consent-roster/consent-roster.reader.js';
import { FARMERS, STATEMENTS } from './event-statements.js';
import { type NOTIFICATION_COLUMNS, type NotificationRow } from '../notifying/notification-columns.js';
import { WEBHOOK_SUBSCRIBER } from '../notifying/notification-writer.js';
import { assertGenuine, type ReadNotification } from '../notifying/signed-rows.js';

/** A notification of the list, without the mode of its reader. */
export type ListedNotification = Pick<NotificationRow, (typeof NOTIFICATION_COLUMNS)[number]> & ReadNotification;

export interface EventFilter {
  readonly type?: string | undefined;
  readonly rupaId?: string | undefined;
}

/** Some of a partner's events, and the sequence up to which there are no others. */
export interface FoundEvents {
  readonly events: readonly ListedNotification[];
  readonly searchedTo: string;
}

/** Events that a search has found, and whether it has reached the end of the list. */
interface SearchedEvents extends FoundEvents {
  readonly isLast: boolean;
}

/** The next notifications, as many as a window has: the sequence of the last one, and how many there are. */
interface Window {
  readonly last: string | null;
  readonly size: number;
}

/** The next consents of a partner, as many as a window has: the last one's farmer, how many there are, and their first notification. */
interface Consents {
  readonly last: string | null;
  readonly size: number;
  readonly sequence: string | null;
}

interface Search {
  readonly partner_id: string;
  readonly type: string | null;
  readonly rupaId: string | null;
  readonly limit: number;
}

/** Bounds of the work of a call, which tests lower. */
@Injectable()
export class EventListLimits {
  /** Notifications that one statement looks through. */
  readonly window: number = 20_000;
  /** Up to this many notifications after the cursor, looking through all of them is the fastest way for every partner. */
  readonly fewNotifications: number = 2_000;
  /** Up to this many consents, looking for each farmer's notifications is faster than looking through those of all farmers. */
  readonly fewConsents: number = 2_000;
  /** Notifications that are read to find the first ones of such consents together. */
  readonly merged: number = 5_000;
  /** Up to this many consents, a partner's next notification is found by looking for each farmer's, a window of consents at a time. */
  readonly mostConsents: number = 200_000;
  /** Up to this many farmers with notifications, a partner's next one is found by looking for each farmer's. */
  readonly fewFarmers: number = 1_000;
  /** Searches without a result whose end is remembered. */
  readonly remembered: number = 1_000;
}

/** Milliseconds for which the end of a search is remembered. A database that was restored from a backup is searched again after that. */
const REMEMBERED_MS = 5 * 60_000;

/** The notifications of the last 30 days, as a partner may read them: with the consents of the moment (decisions, "Events"). */
@Injectable()
export class EventList {
  /** The cursors at which searches ended that had found nothing so far. */
  private readonly searched: LRUCache<string, string>;

  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly limits: EventListLimits,
  ) {
    this.searched = new LRUCache({ max: limits.remembered, ttl: REMEMBERED_MS });
  }

  /**
   * Returns the first events after a sequence, at most `limit`, and none only if there are none. It may return fewer than `limit` although
   * there are more, and looks through a window of notifications at a time. A notification that a partner may not read stays that way, so a
   * search that found none goes on where the last one of the same partner and filter ended.
   */
  async after(
    sequence: string,
    { partner_id }: Pick<PartnerContext, 'partner_id'>,
    { type = null, rupaId = null }: { readonly [Name in keyof EventFilter]: EventFilter[Name] | null },
    limit: number,
  ): Promise<FoundEvents> {
    const search = { partner_id, type, rupaId, limit };
    const name = JSON.stringify([partner_id, type, rupaId, sequence]);
    for (let from = sequence; ;) {
      // Calls with the same search that run at the same time go on where any of them has come to.
      from = later(from, this.searched.get(name) ?? from);
      const window = rupaId === null ? await this.window(from, type) : { last: await this.newest(), size: 0 };
      // The call waited for its turn meanwhile.
      from = later(from, this.searched.get(name) ?? from);
      const found = await this.within(from, window, search);
      if (found.events.length > 0) {
        const events = await this.permitted(found, partner_id);
        if (events.length > 0) return { ...found, events };
        // The next search meets none of the consents that have ended.
        continue;
      }
      from = found.searchedTo;
      this.searched.set(name, later(from, this.searched.get(name) ?? from));
      if (found.isLast) return found;
    }
  }

  /**
   * Returns the events without those whose consent has ended since they were found.
   * @throws RowForged if this service did not list one of them, or it was found because of a consent that nobody granted, or of a recipient that somebody added
   */
  private async permitted({ events }: FoundEvents, partner_id: string): Promise<readonly ListedNotification[]> {
    for (const event of events) assertGenuine(this.macs, event, partner_id);
    const farmers = new Set(events.flatMap((event) => (needsConsent(event) ? [event.rupa_id] : [])));
    const consents = Array.from(farmers, (rupa_id) => ({ partner_id, rupa_id }));
    const held = new Set((await genuineConsents(this.pool, this.macs, consents)).map(({ rupa_id }) => rupa_id));
    return events.filter((event) => !needsConsent(event) || held.has(event.rupa_id));
  }

  /** Returns the first events of a window, or later ones if it is quicker to find those. */
  private async within(from: string, { last, size }: Window, search: Search): Promise<SearchedEvents> {
    if (last === null) return { events: [], searchedTo: from, isLast: true };
    const { fewNotifications, fewConsents, merged, window } = this.limits;
    if (search.rupaId !== null) return await this.byFarmer(search, from, last, search.limit);
    if (size <= fewNotifications) return { events: await this.inOrder(search, from, last), searchedTo: last, isLast: true };
    const isLast = size < window;
    const newest = isLast ? last : ((await this.newest()) ?? last);
    const near =
      (await this.one<Pick<NotificationRow, 'sequence'>>('nth', search.type, [from, fewNotifications, search.type]))?.sequence ?? last;
    const events = await this.inOrder(search, from, near);
    if (events.length === search.limit) return { events, searchedTo: near, isLast: false };
    const consents = await consentCount(this.pool, search.partner_id, fewConsents + 1);
    if (consents <= fewConsents)
      return await this.byFarmer(search, from, newest, Math.min(search.limit, Math.ceil(merged / Math.max(consents, 1))));
    const next = events.length > 0 ? undefined : await this.next(near, newest, search);
    if (next === null) return { events, searchedTo: newest, isLast: true };
    if (next !== undefined) return { events, searchedTo: (BigInt(next) - 1n).toString(), isLast: false };
    const others = await this.inOrder({ ...search, limit: search.limit - events.length }, near, last);
    return { events: [...events, ...others], searchedTo: last, isLast };
  }

  private async inOrder({ partner_id, type, limit }: Search, from: string, to: string): Promise<readonly ListedNotification[]> {
    return await this.all<ListedNotification>('inOrder', type, [partner_id, from, to, type, limit]);
  }

  /** @param ofEach notifications of each farmer that are read */
  private async byFarmer({ partner_id, type, rupaId, limit }: Search, from: string, to: string, ofEach: number): Promise<SearchedEvents> {
    const events = await this.all<ListedNotification>('byFarmer', type, [partner_id, from, to, type, limit, rupaId, ofEach]);
    return { events, searchedTo: later(from, to), isLast: true };
  }

  /** Returns the first sequence of the partner's notifications; null if there is none; undefined if finding it takes longer than a search. */
  private async next(from: string, to: string, search: Search): Promise<string | null | undefined> {
    const { mostConsents, fewFarmers } = this.limits;
    if ((await consentCount(this.pool, search.partner_id, mostConsents + 1)) <= mostConsents)
      return await this.nextOfConsents(from, to, search);
    const farmers = (await this.pool.query<{ farmers: readonly string[] }>(FARMERS, [fewFarmers + 1])).rows[0]?.farmers ?? [];
    if (farmers.length > fewFarmers) return undefined;
    const { partner_id, type } = search;
    return (await this.one<{ sequence: string | null }>('next', type, [partner_id, from, to, type, farmers]))?.sequence ?? null;
  }

  private async nextOfConsents(from: string, to: string, { partner_id, type }: Search): Promise<string | null> {
    const { window } = this.limits;
    let first: string | null = null;
    for (let [after, size] = ['', window]; size === window;) {
      const until: string = first === null ? to : (BigInt(first) - 1n).toString();
      const found: Consents | undefined = await this.one<Consents>('nextOfConsents', type, [partner_id, from, until, type, after, window]);
      first = found?.sequence ?? first;
      [after, size] = [found?.last ?? '', found?.size ?? 0];
    }
    return first;
  }

  /** Returns whether the list has not yet reached this sequence: the database is older than the cursor that has it. */
  async isBefore(sequence: string): Promise<boolean> {
    return await isBeforeSequence(this.pool, WEBHOOK_SUBSCRIBER, sequence);
  }

  private async window(after: string, type: string | null): Promise<Window> {
    return (await this.one<Window>('window', type, [after, this.limits.window, type])) ?? { last: null, size: 0 };
  }

  private async newest(): Promise<string | null> {
    const { rows } = await this.pool.query<{ newest: string | null }>('select max(sequence) as newest from ops.notification');
    return rows[0]?.newest ?? null;
  }

  private async all<R extends object>(
    name: keyof typeof STATEMENTS,
    type: string | null,
    values: readonly unknown[],
  ): Promise<readonly R[]> {
    const [ofAll, ofType] = STATEMENTS[name];
    return (await this.pool.query<R>(type === null ? ofAll : ofType, [...values])).rows;
  }

  private async one<R extends object>(
    name: keyof typeof STATEMENTS,
    type: string | null,
    values: readonly unknown[],
  ): Promise<R | undefined> {
    return (await this.all<R>(name, type, values))[0];
  }
}

/** Returns whether the partner may read the event only with a consent. Its own, unless it is its report about a test farmer, and erasures need none. */
function needsConsent(event: ListedNotification): event is ListedNotification & { readonly rupa_id: string } {
  const { partner_id, contribution_id, rupa_id, type } = event;
  return (partner_id === null || contribution_id !== null) && rupa_id !== null && type !== ERASED_TYPE;
}

function later(one: string, other: string): string {
  return BigInt(one) < BigInt(other) ? other : one;
}
