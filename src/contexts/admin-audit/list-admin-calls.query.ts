import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors } from '../../http/paging.js';
import { endOfDay, startOfDay } from '../../http/time-window.js';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { type AuditTrail, type AuditTrailEntry } from './audit-trail.dto.js';
import { type Administrator } from './domain/events.js';

export interface AdminCallFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** ISO 8601; a date begins at its beginning, and ends at its end (UTC). Both are inclusive. */
  readonly from?: string;
  readonly to?: string;
}

/**
 * Lists administrators' calls, newest first.
 * @throws ValidationFailed if the cursor is malformed; StoreUnavailable if the read models are behind, because a trail with gaps misleads
 */
export class ListAdminCalls extends Query<AuditTrail> {
  constructor(
    readonly filter: AdminCallFilter,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

const CATCH_UP_TIMEOUT_MS = 10_000;
const CURSORS = new Cursors('admin-calls', 'position');

const COLUMNS = 'position, entry_id, at, actor, role, fingerprint, action, target, status, request_id, address, reason';
const PAGE = `($1::numeric is null or position < $1) and ($2::timestamptz is null or at >= $2) and ($3::timestamptz is null or at <= $3)`;

@QueryHandler(ListAdminCalls)
export class ListAdminCallsHandler implements IQueryHandler<ListAdminCalls> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ filter: { actor, action, from, to }, limit, cursor }: ListAdminCalls): Promise<AuditTrail> {
    const [before] = CURSORS.position(cursor) ?? [];
    if (!(await this.readModels.waitForAll(CATCH_UP_TIMEOUT_MS))) throw new StoreUnavailable('The audit trail is behind the event log.');
    const { text, values } = newestCalls({ actor, action });
    const { rows } = await this.pool.query<AuditTrailEntry & { readonly position: string }>(text, [
      before,
      startOfDay(from),
      endOfDay(to),
      limit + 1,
      ...values,
    ]);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ position }) => [position]);
    return { entries: items.map(({ position: _, ...entry }) => entry), next_cursor };
  }
}

/**
 * Returns the SQL of the newest calls. `$1` to `$4` are the position before which the page begins, the first and the last time, and the
 * number of rows. Each value that a column may have is a query of its own, which an index returns in order. With one query for all of
 * them, PostgreSQL would read the whole trail to find calls that are rare.
 */
function newestCalls({ actor, action }: AdminCallFilter): { readonly text: string; readonly values: readonly string[] } {
  const values: string[] = [];
  const next = (value: string): string => `$${PARAMETERS + values.push(value)}`;
  const ofAction =
    action === undefined
      ? []
      : METHODS.includes(action)
        ? [`starts_with(action, ${next(`${action} `)})`]
        : actionsNamed(action).map((each) => `action = ${next(each)}`);
  const ofActor =
    actor === undefined
      ? []
      : [...actorsNamed(actor).map((each) => `actor = ${next(each)}`), `role = ${next(actor)}`, `fingerprint = ${next(actor)}`];
  const both = ofActor.map((each) => (ofAction.length === 0 ? each : `${each} and (${ofAction.join(' or ')})`));
  const branches = [both, ofAction, ['true']].find(({ length }) => length > 0) ?? [];
  const selected = branches.map(
    (where) => `(select ${COLUMNS} from read.admin_call where ${PAGE} and ${where} order by position desc limit $4)`,
  );
  return { text: `select * from (${selected.join(' union ')}) calls order by position desc limit $4`, values };
}

const PARAMETERS = 4;
const ROLES: readonly Administrator['role'][] = ['admin', 'auditor', 'cli'];
/** First words of actions: HTTP methods and, on the command line, the program. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'rupa'];

/** Returns the actors that a text names: itself, or a person in each role. */
function actorsNamed(text: string): readonly string[] {
  return [text, ...ROLES.map((role) => `${role}:${text}`)];
}

/** Returns the actions that a text names: itself, or a route with each method. */
function actionsNamed(text: string): readonly string[] {
  return [text, ...METHODS.map((method) => `${method} ${text}`)];
}
