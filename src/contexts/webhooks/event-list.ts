import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type PartnerContext } from '../../http/partner-context.js';
import { POOL } from '../../platform/injection-tokens.js';
import { type StoredNotification } from './domain/notification.js';
import { AFTER_CONSENT, notErased } from './notification-conditions.js';
import { WEBHOOK_SUBSCRIBER } from './notification-writer.js';

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

const COLUMNS = ['event_id', 'type', 'rupa_id', 'event', 'contribution_id', 'occurred_at', 'recorded_at', 'sequence', 'data'];
const columnsOf = (table: string): string => COLUMNS.map((column) => `${table}.${column}`).join(', ');
const OF_TYPE = '($4::text is null or n.type = $4)';

/** Looks through the notifications from $2 on up to $3, in their order, until it has found $5. */
const IN_ORDER = `select ${columnsOf('n')} from ops.notification n
  where n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE} and ${notErased('n')}
    and case when n.partner_id is null
      then exists (select from read.consent_roster c where c.partner_id = $1 and c.rupa_id = n.rupa_id and ${AFTER_CONSENT})
      else n.partner_id = $1 end
  order by n.sequence limit $5`;

/** Takes the first $5 notifications of each farmer on the roster, and of the partner itself, from the indexes, and the first $5 of those. */
const BY_FARMER = `select ${columnsOf('n')} from (
    (select n.* from ops.notification n
      where n.partner_id = $1 and n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE} and ($6::text is null or n.rupa_id = $6) and ${notErased('n')}
      order by n.sequence limit $5)
    union all
    (select n.* from (
      select c.* from read.consent_roster c where c.partner_id = $1 and ($6::text is null or c.rupa_id = $6) and ${notErased('c')}) c
      cross join lateral (
        select n.* from ops.notification n
        where n.partner_id is null and n.rupa_id = c.rupa_id and n.sequence > $2 and n.sequence <= $3 and ${OF_TYPE} and ${AFTER_CONSENT}
        order by n.sequence limit $5) n)) n
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
}

/** The notifications of the last 30 days, as a partner may read them: with the consents of the moment (decisions, "Events"). */
@Injectable()
export class EventList {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly limits: EventListLimits,
  ) {}

  /**
   * Returns the first events after a sequence, at most `limit`, and none only if there are none. The work of a call is bounded by the size of
   * a window and the partner's consents, so it may return fewer than `limit` although there are more.
   */
  async after(
    sequence: string,
    { partner_id }: Pick<PartnerContext, 'partner_id'>,
    filter: EventFilter,
    limit: number,
  ): Promise<FoundEvents> {
    const { last, size } = await this.window(sequence);
    if (last === null) return { events: [], searchedTo: sequence };
    const { type = null, rupaId = null } = filter;
    const inOrder = async (after: string, upTo: string): Promise<ListedNotification[]> =>
      await this.read(IN_ORDER, [partner_id, after, upTo, type, limit]);
    const byFarmer = async (upTo: string, most: number): Promise<ListedNotification[]> =>
      await this.read(BY_FARMER, [partner_id, sequence, upTo, type, most, rupaId]);
    const newest = size < this.limits.window ? last : ((await this.newest()) ?? last);
    if (rupaId !== null || (size > this.limits.fewNotifications && (await this.hasFewConsents(partner_id))))
      return { events: await byFarmer(newest, limit), searchedTo: newest };
    const found = await inOrder(sequence, last);
    if (found.length > 0 || size < this.limits.window) return { events: found, searchedTo: last };
    // None of a whole window is this partner's, so we find where its next one is, and go on from there.
    const [next] = await byFarmer(newest, 1);
    if (!next) return { events: [], searchedTo: newest };
    const before = (BigInt(next.sequence) - 1n).toString();
    const window = await this.window(before);
    return { events: await inOrder(before, window.last ?? newest), searchedTo: newest };
  }

  /** Returns whether the list has not yet reached this sequence: the database is older than the cursor that has it. */
  async isBefore(sequence: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ before: boolean }>(
      'select coalesce(max(position + sequence_offset), 0) < $1::numeric as before from ops.checkpoint where projection = $2',
      [sequence, WEBHOOK_SUBSCRIBER],
    );
    return rows[0]?.before ?? false;
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

  /** Returns the last of the next notifications, as many as a window has, and how many there are. */
  private async window(after: string): Promise<{ readonly last: string | null; readonly size: number }> {
    const { rows } = await this.pool.query<{ last: string | null; size: number }>(
      'select max(sequence) as last, count(*) as size from (select sequence from ops.notification where sequence > $1 order by sequence limit $2) n',
      [after, this.limits.window],
    );
    return rows[0] ?? { last: null, size: 0 };
  }

  private async newest(): Promise<string | null> {
    const { rows } = await this.pool.query<{ newest: string | null }>('select max(sequence) as newest from ops.notification');
    return rows[0]?.newest ?? null;
  }

  private async hasFewConsents(partnerId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('select from read.consent_roster where partner_id = $1 offset $2 limit 1', [
      partnerId,
      this.limits.fewConsents,
    ]);
    return rowCount === 0;
  }

  private async read(statement: string, values: readonly unknown[]): Promise<ListedNotification[]> {
    return (await this.pool.query<ListedNotification>(statement, [...values])).rows;
  }
}
