import { type Pool } from 'pg';
import { columnsOf, rowsOf, textStatement } from '../../src/platform/database/typed-sql.js';
import { type AdminCallRow } from './admin-call.projection.js';

const c = columnsOf<AdminCallRow>('c');

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
const PAGE = `($1::numeric is null or ${c.position} < $1) and ($2::timestamptz is null or ${c.at} >= $2) and ($3::timestamptz is null or ${c.at} <= $3)`;
const PARAMETERS = 4;
const ROLES: readonly AdminCallRow['role'][] = ['admin', 'auditor', 'cli'];
/** First words of actions: HTTP methods and, on the command line, the program. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'rupa'];

/**
 * Returns the newest calls before a position in $all. Each value that a column may have is a query of its own, which an index returns in
 * order. With one query for all of them, PostgreSQL would read the whole trail to find calls that are rare.
 */
export async function newestCalls(
  pool: Pool,
  { actor, action, from, to }: AdminCallFilter,
  before: string | undefined,
  limit: number,
): Promise<AdminCallRow[]> {
  const values: string[] = [];
  const next = (value: string): string => `$${PARAMETERS + values.push(value)}`;
  const ofAction =
    action === undefined
      ? []
      : METHODS.includes(action)
        ? [`starts_with(${c.action}, ${next(`${action} `)})`]
        : actionsNamed(action).map((each) => `${c.action} = ${next(each)}`);
  const ofActor =
    actor === undefined
      ? []
      : [
          ...actorsNamed(actor).map((each) => `${c.actor} = ${next(each)}`),
          `${c.role} = ${next(actor)}`,
          `${c.fingerprint} = ${next(actor)}`,
        ];
  const both = ofActor.map((each) => (ofAction.length === 0 ? each : `${each} and (${ofAction.join(' or ')})`));
  const branches = [both, ofAction, ['true']].find(({ length }) => length > 0) ?? [];
  const selected = branches.map(
    (where) => `(select ${COLUMNS.join(', ')} from read.admin_call c where ${PAGE} and ${where} order by ${c.position} desc limit $4)`,
  );
  const text = `select * from (${selected.join(' union ')}) c order by ${c.position} desc limit $4`;
  return await rowsOf(pool, textStatement<AdminCallRow>(text, [before, from, to, limit, ...values]));
}

/** Returns the actors that a text names: itself, or a person in each role. */
function actorsNamed(text: string): readonly string[] {
  return [text, ...ROLES.map((role) => `${role}:${text}`)];
}

/** Returns the actions that a text names: itself, or a route with each method. */
function actionsNamed(text: string): readonly string[] {
  return [text, ...METHODS.map((method) => `${method} ${text}`)];
}
