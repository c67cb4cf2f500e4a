import { type Pool } from 'pg';
import { columnsOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { type Checkpoint } from '../../src/platform/projecting/checkpoints.js';
import { adminCallProjection, type AdminCallRow, methodOf } from './admin-call.projection.js';

const [c, w] = [columnsOf<AdminCallRow>('c'), columnsOf<AdminCallRow>('w')];
const p = columnsOf<Checkpoint>('p');
/** Higher than every position in $all. */
const POSITIONS = '99999999999999999999';
const METHOD_OF_CALL = methodOf(c.action);

export interface AdminCallFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** ISO 8601; both are inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const COLUMNS = [
  c.position,
  c.entry_id,
  c.at,
  c.actor,
  c.role,
  c.fingerprint,
  c.action,
  c.target,
  c.status,
  c.request_id,
  c.address,
  c.reason,
];
/**
 * The position of a call that began a day before the window, or a day after it. Calls are recorded in about the order of their times, so those
 * of a window are between the two, and no others are read.
 */
const BEFORE_WINDOW = `coalesce((select ${w.position} from read.admin_call w where ${w.at} < $2::timestamptz - interval '1 day'
  order by ${w.at} desc, ${w.position} desc limit 1), -1)`;
const AFTER_WINDOW = `coalesce((select ${w.position} from read.admin_call w where ${w.at} > $3::timestamptz + interval '1 day'
  order by ${w.at}, ${w.position} limit 1), ${POSITIONS})`;
const IN_WINDOW = `${c.at} >= coalesce($2::timestamptz, '-infinity') and ${c.at} <= coalesce($3::timestamptz, 'infinity')`;

const ROLES: readonly AdminCallRow['role'][] = ['admin', 'auditor', 'cli'];
/** First words of actions: HTTP methods and, on the command line, the program. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'rupa'];

/** A value that a call may have in a column. */
type Choice = readonly [column: string, value: string];

export interface NewestCalls {
  readonly calls: readonly AdminCallRow[];
  /** Position in $all up to which the calls are computed; -1 before the first event. */
  readonly computedUpTo: bigint;
}

/**
 * Returns the newest calls before a position in $all. One statement reads the rows and the checkpoint from one snapshot. Each value that a
 * column may have is a query of its own, which only one index returns in its order. With one query for all of them, PostgreSQL would read
 * the whole trail to find calls that are rare.
 */
export async function newestCalls(
  pool: Pool,
  { actor, action, from, to }: AdminCallFilter,
  before: string | undefined,
  limit: number,
): Promise<NewestCalls> {
  const [ofActor, ofAction] = [actor === undefined ? [] : actorsNamed(actor), action === undefined ? [] : actionsNamed(action)];
  const values: unknown[] = [before ?? POSITIONS, from ?? null, to ?? null, limit];
  const place = (value: string): string => `$${values.push(value)}`;
  const among = ofActor.length > 0 && ofAction.length > 0 ? ofAction.map(([column, value]) => `${column} = ${place(value)}`) : [];
  const filter = among.length > 0 ? `and (${among.join(' or ')})` : '';
  const branches = [ofActor, ofAction].find(({ length }) => length > 0);
  const selected = branches?.map(([column, value]) => branch(filter, column, place(value))) ?? [branch(filter)];
  const text = `with bounds as materialized (select ${BEFORE_WINDOW} as low, least($1::numeric, ${AFTER_WINDOW}) as high)
    select coalesce(${p.position}, -1) as computed_up_to, c.* from ops.checkpoint p
    left join (select * from (${selected.join(' union ')}) c order by ${c.position} desc limit $4) c on true
    where ${p.projection} = '${adminCallProjection.name}' order by ${c.position} desc`;
  type Found = { readonly computed_up_to: string } & (AdminCallRow | { readonly position: null });
  const rows = await rowsOf(pool, textStatement<Found>(text, values));
  const calls = rows.flatMap(({ computed_up_to: _, ...row }) => (row.position === null ? [] : [row]));
  return { calls, computedUpTo: BigInt(rows[0]?.computed_up_to ?? -1) };
}

/** Selects the newest calls, of those with a value in a column if one is given. */
function branch(filter: string, column?: string, value?: string): string {
  const [low, high] = ['(select low from bounds)', '(select high from bounds)'];
  const [range, order] =
    column === undefined
      ? [`${c.position} > ${low} and ${c.position} < ${high}`, '']
      : [`(${column}, ${c.position}) > (${value}, ${low}) and (${column}, ${c.position}) < (${value}, ${high})`, `${column} desc, `];
  return `(select ${COLUMNS.join(', ')} from read.admin_call c where ${range} and ${IN_WINDOW} ${filter}
    order by ${order}${c.position} desc limit $4)`;
}

/** Returns the columns that name an actor: a person in each role, a role or a fingerprint. */
function actorsNamed(text: string): readonly Choice[] {
  const actors = [text, ...ROLES.map((role) => `${role}:${text}`)];
  return [...actors.map((each): Choice => [c.actor, each]), [c.role, text], [c.fingerprint, text]];
}

/** Returns the actions that a text names: those of a method, or itself, or a route with each method. */
function actionsNamed(text: string): readonly Choice[] {
  if (METHODS.includes(text)) return [[METHOD_OF_CALL, text]];
  return [text, ...METHODS.map((method) => `${method} ${text}`)].map((each): Choice => [c.action, each]);
}
