import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Pool } from 'pg';
import { type ConsentRosterRow } from '../../../../projections/consent-roster/consent-roster.projection.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { isBeforeSequence, sequenceOffset } from '../../../platform/projecting/checkpoints.js';
import { type StoredNotification } from '../domain/notification.js';
import { hasAtMost } from '../../../../projections/consent-roster/consent-roster.reader.js';
import { notErased } from '../../../../projections/erased-farmer/erased-farmer.reader.js';
import { AFTER_CONSENT } from '../notifying/notification-conditions.js';
import { WEBHOOK_SUBSCRIBER } from '../notifying/notification-writer.js';

/** A notification of the list, without the mode of its reader. */
export type ListedNotification = Omit<StoredNotification, 'mode' | 'sequence'> & { readonly sequence: string };

export interface EventFilter {
  readonly type?: string | undefined;
  readonly rupaId?: string | undefined;
}

/** Some of a partner's events, and the sequence up to which there are no others. */
export interface FoundEvents {
  readonly events: readonly ListedNotification[];
  readonly searchedTo: string;
}

/** The next notifications, as many as a window has: the sequence of the last one, and how many there are. */
interface Window {
  readonly last: string | null;
  readonly size: number;
}

interface Search {
  readonly partner_id: string;
  readonly type: string | null;
  readonly rupaId: string | null;
  readonly limit: number;
}

const c = columnsOf<ConsentRosterRow>('c');

const COLUMNS = ['event_id', 'type', 'rupa_id', 'event', 'contribution_id', 'occurred_at', 'recorded_at', 'sequence', 'data'];
const columnsIn = (table: string): string => COLUMNS.map((column) => `${table}.${column}`).join(', ');
const OF_TYPE = '($4::text is null or n.type = $4)';

/** Looks through the notifications from $2 on up to $3, in their order, until it has found $5. */
const IN_ORDER = `select ${columnsIn('n')} from ops.notification n
  where n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE} and ${notErased('n')}
    and case when n.partner_id is null
      then exists (select from read.consent_roster c where ${c.partner_id} = $1 and ${c.rupa_id} = n.rupa_id and ${AFTER_CONSENT})
      else n.partner_id = $1 end
  order by n.sequence limit $5`;

/**
 * The sequence after which a consent's notifications begin. It spares those from before the consent, of which a farmer may have any number.
 * Positions of an earlier log cannot be compared with the consent's; their notifications are the list's first ones.
 */
const AFTER = `case when (select position is null from ops.notification order by sequence limit 1) then $2::numeric
  else greatest($2::numeric, ${c.granted_position} - 1 + ${sequenceOffset(WEBHOOK_SUBSCRIBER)}) end`;

/**
 * Takes the first $5 notifications of each farmer on the roster, and of the partner itself, from the indexes, and the first $5 of those. Only
 * the index of farmers returns rows in the order of a farmer's notifications. With `n.rupa_id = c.rupa_id … order by n.sequence`, PostgreSQL
 * would look through the notifications of all farmers for each one if most of them are about few farmers.
 */
const BY_FARMER = `select ${columnsIn('n')} from (
    (select n.* from ops.notification n
      where n.partner_id = $1 and n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE} and ($6::text is null or n.rupa_id = $6) and ${notErased('n')}
      order by n.sequence limit $5)
    union all
    (select n.* from (
      select c.* from read.consent_roster c where ${c.partner_id} = $1 and ($6::text is null or ${c.rupa_id} = $6) and ${notErased('c')}) c
      cross join lateral (
        select n.* from ops.notification n
        where n.partner_id is null and (n.rupa_id, n.sequence) > (${c.rupa_id}, ${AFTER}) and (n.rupa_id, n.sequence) <= (${c.rupa_id}, $3)
          and ${OF_TYPE} and ${AFTER_CONSENT}
        order by n.rupa_id, n.sequence limit $5) n)) n
  order by n.sequence limit $5`;

/** Bounds of the work of a call, which tests lower. */
@Injectable()
export class EventListLimits {
  /** Notifications that one statement looks through. */
  readonly window: number = 20_000;
  /** Up to this many notifications after the cursor, looking through all of them is the fastest way for every partner. */
  readonly fewNotifications: number = 2_000;
  /** Up to this many consents, looking for each farmer's notifications is faster than looking through those of all farmers. */
  readonly fewConsents: number = 1_000;
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
    for (let from = this.searched.get(name) ?? sequence; ;) {
      const found = await this.within(from, await this.window(from), search);
      if (found.events.length > 0) return found;
      from = found.searchedTo;
      this.searched.set(name, from);
      if (found.isLast) return found;
    }
  }

  /** Returns the first events of a window, or later ones if it is quicker to find those. */
  private async within(from: string, { last, size }: Window, search: Search): Promise<FoundEvents & { readonly isLast: boolean }> {
    if (last === null) return { events: [], searchedTo: from, isLast: true };
    const { partner_id, type, rupaId, limit } = search;
    const isLast = size < this.limits.window;
    const newest = isLast ? last : ((await this.newest()) ?? last);
    const byFarmer = async (most: number): Promise<ListedNotification[]> =>
      await this.read(BY_FARMER, [partner_id, from, newest, type, most, rupaId]);
    if (rupaId !== null || (size > this.limits.fewNotifications && (await hasAtMost(this.pool, this.limits.fewConsents, partner_id))))
      return { events: await byFarmer(limit), searchedTo: newest, isLast: true };
    const events = await this.read(IN_ORDER, [partner_id, from, last, type, limit]);
    if (events.length > 0 || isLast || !(await hasAtMost(this.pool, this.limits.window, partner_id)))
      return { events, searchedTo: last, isLast };
    // None of a whole window is this partner's, so we find where its next one is, and go on from there.
    const [next] = await byFarmer(1);
    return next
      ? { events: [], searchedTo: (BigInt(next.sequence) - 1n).toString(), isLast: false }
      : { events: [], searchedTo: newest, isLast: true };
  }

  /** Returns whether the list has not yet reached this sequence: the database is older than the cursor that has it. */
  async isBefore(sequence: string): Promise<boolean> {
    return await isBeforeSequence(this.pool, WEBHOOK_SUBSCRIBER, sequence);
  }

  /**
   * Returns whether the list has deleted the event with this sequence because of its age, and may have deleted others after it. The event is
   * usually still there, so the first of the two reads of an index is all that PostgreSQL does.
   */
  async isExpired(sequence: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ expired: boolean }>(
      `select not exists (select from ops.notification where sequence = $1)
         and not exists (select from ops.notification where sequence < $1) as expired`,
      [sequence],
    );
    return rows[0]?.expired ?? false;
  }

  private async window(after: string): Promise<Window> {
    const { rows } = await this.pool.query<Window>(
      'select max(sequence) as last, count(*) as size from (select sequence from ops.notification where sequence > $1 order by sequence limit $2) n',
      [after, this.limits.window],
    );
    return rows[0] ?? { last: null, size: 0 };
  }

  private async newest(): Promise<string | null> {
    const { rows } = await this.pool.query<{ newest: string | null }>('select max(sequence) as newest from ops.notification');
    return rows[0]?.newest ?? null;
  }

  private async read(statement: string, values: readonly unknown[]): Promise<ListedNotification[]> {
    return (await this.pool.query<ListedNotification>(statement, [...values])).rows;
  }
}
