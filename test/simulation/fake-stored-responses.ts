/** A row of ops.stored_response, with times in ms. */
export interface StoredResponseRow {
  readonly partner_id: string;
  readonly key_hash: string;
  readonly request_hash: string;
  readonly lookup_id: string;
  readonly rupa_id: string;
  readonly holder: string;
  readonly leased_until: number;
  readonly begun_at: number;
  readonly response: string | null;
}

type Values = readonly unknown[];
type Condition = (row: StoredResponseRow, values: Values, now: number) => boolean;
type Assignment = (row: StoredResponseRow, values: Values, now: number) => StoredResponseRow;

const HOUR_MS = 3_600_000;

/** The conditions that statements may contain. If one is removed from a statement, the simulation does not apply it either; a new one is an error. */
const conditions: Readonly<Record<string, Condition>> = {
  'partner_id = $1': (row, [partner]) => row.partner_id === partner,
  'key_hash = $2': (row, [, key]) => row.key_hash === key,
  'holder = $3': (row, [, , holder]) => row.holder === holder,
  'key_hash = any($2)': (row, [, names]) => (names as string[]).includes(row.key_hash),
  'key_hash = any($4)': (row, [, , , names]) => (names as string[]).includes(row.key_hash),
  'response is null': (row) => row.response === null,
  'response is not null': (row) => row.response !== null,
  'lookup_id = any($1)': (row, [ids]) => (ids as string[]).includes(row.lookup_id),
  'leased_until > now()': (row, _values, now) => row.leased_until > now,
  'leased_until < now()': (row, _values, now) => row.leased_until < now,
  'leased_until > clock_timestamp() + make_interval(secs => 20)': (row, _values, now) => row.leased_until > now + 20_000,
  'leased_until <= now() + make_interval(secs => $5)': (row, values, now) => row.leased_until <= now + Number(values[4]) * 1_000,
  'k.begun_at < now() - make_interval(hours => $8)': (row, values, now) => row.begun_at < now - Number(values[7]) * HOUR_MS,
  'k.response is null': (row) => row.response === null,
  'k.leased_until < now()': (row, _values, now) => row.leased_until < now,
  'k.leased_until > clock_timestamp() + make_interval(secs => $7)': (row, values, now) =>
    row.leased_until > now + Number(values[6]) * 1_000,
  'k.request_hash = excluded.request_hash': (row, values) => row.request_hash === values[2],
};

const assignments: Readonly<Record<string, Assignment>> = {
  'lookup_id = $4': (row, values) => ({ ...row, lookup_id: String(values[3]) }),
  'response = $4': (row, values) => ({ ...row, response: values[3] as string | null }),
  'holder = gen_random_uuid()': (row) => ({ ...row, holder: 'nobody' }),
  'leased_until = now()': (row, _values, now) => ({ ...row, leased_until: now }),
};

/** The condition of a piece that the response's own row was changed. */
const IF_HELD = ' and exists (select from head)';

/**
 * Simulates ops.stored_response and the statements of src/platform/stored-responses/stored-response-table.ts, each of which is atomic. A contract
 * test compares it with PostgreSQL.
 */
export class FakeStoredResponses {
  private rows: readonly StoredResponseRow[] = [];

  /** @param now Returns the database's time in ms. */
  constructor(private readonly now: () => number) {}

  byLookup(lookupId: string): StoredResponseRow | undefined {
    return this.rows.find(({ lookup_id }) => lookup_id === lookupId);
  }

  run(statement: string, values: Values): { rows: unknown[]; rowCount: number } {
    const [, inserting] = /^with begun as \(.*? where (.*?) returning /.exec(statement) ?? [];
    if (inserting !== undefined) return counted([this.begin(inserting, values)]);
    const pieces = this.runOnPieces(statement, values);
    if (pieces) return pieces;
    const [, set, where] = /^update ops\.stored_response set (.*?) where (.*)$/.exec(statement) ?? [];
    if (set !== undefined && where !== undefined) return counted(this.update(set, where, values));
    const [, deleting] = /^delete from ops\.stored_response where (.*)$/.exec(statement) ?? [];
    if (deleting !== undefined) return counted(this.delete(deleting, values));
    const [, selecting] = /^select .* from ops\.stored_response where (.*)$/.exec(statement) ?? [];
    if (selecting !== undefined) return counted(this.rows.filter((row) => this.holds(selecting, row, values)));
    throw new Error(`The simulation does not support this statement: ${statement}`);
  }

  /** Runs the statements of src/platform/stored-responses/stored-response-table.ts. */
  private runOnPieces(statement: string, values: Values): { rows: unknown[]; rowCount: number } | undefined {
    const [, holding] = /^insert into ops\.stored_response as k .*? where (h\..*?) on conflict /.exec(statement) ?? [];
    if (holding !== undefined) return counted(this.beginPieces(holding.replaceAll('h.', ''), values));
    const [, set, head, setPiece, piece] =
      /^with head as \( update ops\.stored_response set (.*?) where (.*?) returning 1\), piece as \( update ops\.stored_response k set (.*?) from .*? where (.*?) returning /.exec(
        statement,
      ) ?? [];
    if (set !== undefined && head !== undefined && setPiece === 'response = p.response, leased_until = now()' && piece !== undefined)
      return counted([this.storePieces(this.update(set, head, values).length > 0, piece.replaceAll('k.', ''), values)]);
    const [, withdrawing, pieces] =
      /^with head as \(delete from ops\.stored_response where (.*?) returning 1\) delete from ops\.stored_response where (.*)$/.exec(
        statement,
      ) ?? [];
    if (withdrawing === undefined || pieces === undefined) return undefined;
    const isHeld = this.delete(withdrawing, values).length > 0;
    return counted(pieces.includes(IF_HELD) && !isHeld ? [] : this.delete(pieces.replace(IF_HELD, ''), values));
  }

  private beginPieces(holding: string, values: Values): StoredResponseRow[] {
    const [head] = this.rows.filter((row) => this.holds(holding, row, values));
    if (!head) return [];
    const pieces = JSON.parse(String(values[3])) as Pick<StoredResponseRow, 'key_hash' | 'lookup_id' | 'rupa_id'>[];
    const begun = pieces.map((piece) => ({ ...head, ...piece, begun_at: this.now(), response: null }));
    const isOld = (row: StoredResponseRow): boolean =>
      begun.some(({ partner_id, key_hash }) => partner_id === row.partner_id && key_hash === row.key_hash);
    this.rows = [...this.rows.filter((row) => !isOld(row)), ...begun];
    return begun;
  }

  private storePieces(held: boolean, where: string, values: Values): { readonly held: boolean; readonly stored: readonly string[] } {
    const pieces = JSON.parse(String(values[5])) as { readonly key_hash: string; readonly response: string }[];
    if (where.includes(IF_HELD) && !held) return { held, stored: [] };
    const stored: string[] = [];
    this.rows = this.rows.map((row) => {
      const piece = pieces.find(({ key_hash }) => key_hash === row.key_hash);
      if (!piece || !this.holds(where.replace(IF_HELD, '').replace(' and key_hash = p.key_hash', ''), row, values)) return row;
      stored.push(row.key_hash);
      return { ...row, response: piece.response, leased_until: this.now() };
    });
    return { held, stored };
  }

  private begin(conflict: string, values: Values): StoredResponseRow {
    const [partner_id, key_hash, request_hash, lookup_id, rupa_id, holder] = values as string[] as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const [, , , , , , leaseSeconds] = values;
    const now = this.now();
    const fresh: StoredResponseRow = {
      partner_id,
      key_hash,
      request_hash,
      lookup_id,
      rupa_id,
      holder,
      leased_until: now + Number(leaseSeconds) * 1_000,
      begun_at: now,
      response: null,
    };
    const known = this.rows.find((row) => row.partner_id === partner_id && row.key_hash === key_hash);
    if (!known) {
      this.rows = [...this.rows, fresh];
      return fresh;
    }
    if (!this.holds(conflict, known, values)) return known;
    const taken = { ...fresh, lookup_id: known.response === null ? known.lookup_id : lookup_id };
    this.rows = this.rows.map((row) => (row === known ? taken : row));
    return taken;
  }

  private update(set: string, where: string, values: Values): StoredResponseRow[] {
    const matching = this.rows.filter((row) => this.holds(where, row, values));
    const change = (row: StoredResponseRow): StoredResponseRow =>
      set.split(', ').reduce((changed, assignment) => named(assignments, assignment)(changed, values, this.now()), row);
    this.rows = this.rows.map((row) => (matching.includes(row) ? change(row) : row));
    return matching;
  }

  private delete(where: string, values: Values): StoredResponseRow[] {
    const matching = this.rows.filter((row) => this.holds(where, row, values));
    this.rows = this.rows.filter((row) => !matching.includes(row));
    return matching;
  }

  /** Evaluates conditions of the form `a or (b and c)`. No statement nests deeper. */
  private holds(where: string, row: StoredResponseRow, values: Values): boolean {
    return where.split(' or ').some((alternative) =>
      alternative
        .replace(/^\((.*)\)$/, '$1')
        .split(' and ')
        .every((condition) => named(conditions, condition.trim())(row, values, this.now())),
    );
  }
}

function named<T>(known: Readonly<Record<string, T>>, name: string): T {
  const found = known[name];
  if (found === undefined) throw new Error(`The simulation does not support this part of a statement: ${name}`);
  return found;
}

function counted(rows: readonly unknown[]): { rows: unknown[]; rowCount: number } {
  return { rows: [...rows], rowCount: rows.length };
}
