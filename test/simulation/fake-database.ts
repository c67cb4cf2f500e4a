import { type Pool } from 'pg';
import { FakeBooks } from './fake-books.js';
import { FakeStoredResponses } from './fake-stored-responses.js';
import { type FakeReadModels } from './fake-read-models.js';
import { type Network } from './network.js';
import { EPOCH_MS, type SimulatedProcess } from './process.js';

type Result = { rows: unknown[]; rowCount: number };

const OPEN_CHARGES = 'select "lookup_id" from "read"."open_charge"';
const STALE =
  "select o.lookup_id, o.partner_id, o.instance, exists (select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = $2 " +
  'and l.objid::bigint = o.instance and l.granted and l.database = (select oid from pg_database where datname = current_database())) as present, ' +
  "case when k.lookup_id is null then 'none' when k.response is not null then 'stored' when k.leased_until > now() then 'leased' else 'abandoned' end as key " +
  'from read.open_charge o left join ops.stored_response k on k.lookup_id = o.lookup_id where o.lookup_id = any($1)';
const FIND_ENTRIES =
  'select coalesce(c.position >= $2, $2 < 0) as caught_up, e.* from ops.checkpoint c left join read.wallet_entry e on e.partner_id = $1 ' +
  'and (e.reference = any($3::text[]) or e.credit_reference = $4 or e.lookup_id = $5) ' +
  "where c.projection = 'wallet_entry' order by e.revision";
const DEBIT_OF_LOOKUP =
  "select d.partner_id, d.revision from read.wallet_entry d where d.lookup_id = $1 and case when d.type = 'WalletDebited' then true end order by d.recorded_at desc limit 1";

/** Simulates the statements that a lookup's charge depends on. Any other statement is a fault of the history. */
export class FakeDatabase {
  readonly storedResponses: FakeStoredResponses;

  constructor(
    private readonly network: Network,
    private readonly readModels: FakeReadModels,
    private readonly now: () => number,
    private readonly isPresent: (instance: number) => boolean,
    private readonly onUnsupported: (error: unknown) => void,
  ) {
    this.storedResponses = new FakeStoredResponses(now);
  }

  /** Returns the part of pg's pool that the service uses. */
  pool(process: SimulatedProcess): Pool {
    const query = (text: string, values: readonly unknown[]): Promise<Result> => {
      const statement = text.replaceAll(/\s+/g, ' ').trim();
      return this.network.call(process, `query ${statement.slice(0, 40)}`, () => this.run(statement, values));
    };
    const connect = (): Promise<object> => {
      const books = new FakeBooks(this.readModels, this.onUnsupported);
      const inSnapshot = (text: string, values: readonly unknown[] = []): Promise<Result> =>
        this.network.call(process, `query ${text.trim().slice(0, 40)}`, () =>
          counted(books.run(text.replaceAll(/\s+/g, ' ').trim(), values)),
        );
      return Promise.resolve({ query: inSnapshot, release: () => undefined });
    };
    return { query, connect } as unknown as Pool;
  }

  /** Returns the database's clock, in ms since 1970; undefined if the process cannot reach the database. */
  clockFor({ name }: SimulatedProcess): number | undefined {
    return this.network.down || this.network.partitioned.has(name) ? undefined : EPOCH_MS + this.now();
  }

  /** Returns whether the farmer is on the partner's roster, as a lookup reads it. */
  async consented(process: SimulatedProcess, partnerId: string, rupaId: string): Promise<boolean> {
    return await this.network.call(process, 'query farmer', () => this.readModels.consents.has(`${partnerId} ${rupaId}`));
  }

  private run(statement: string, values: readonly unknown[]): Result {
    if (statement === OPEN_CHARGES) return counted([...this.readModels.openCharges.values()]);
    if (statement === STALE) return counted((values[0] as string[]).flatMap((id) => this.stale(id)));
    if (/from "ops"\."(unusable_event|forged_row)"/.test(statement)) return counted([]);
    if (statement === FIND_ENTRIES) return this.findEntries(values);
    if (statement === DEBIT_OF_LOOKUP)
      return counted(
        this.readModels.entries.filter(({ type, lookup_id }) => type === 'WalletDebited' && lookup_id === values[0]).slice(0, 1),
      );
    try {
      return this.storedResponses.run(statement, values);
    } catch (error) {
      this.onUnsupported(error);
      throw error;
    }
  }

  private stale(lookupId: string): object[] {
    const charge = this.readModels.openCharges.get(lookupId);
    if (!charge) return [];
    const row = this.storedResponses.byLookup(lookupId);
    const held = row && row.leased_until > this.now() ? 'leased' : 'abandoned';
    const key = row === undefined ? 'none' : row.response === null ? held : 'stored';
    return [{ ...charge, present: charge.instance !== null && this.isPresent(charge.instance), key }];
  }

  private findEntries([partnerId, position, references, creditReference, lookupId]: readonly unknown[]): Result {
    const { entries, entriesPosition } = this.readModels;
    const caught_up = entriesPosition >= BigInt(String(position));
    const found = entries.filter(
      (entry) =>
        entry.partner_id === partnerId &&
        ((entry.reference !== null && (references as string[]).includes(entry.reference)) ||
          (creditReference !== null && entry.credit_reference === creditReference) ||
          (lookupId !== null && entry.lookup_id === lookupId)),
    );
    return counted(found.length === 0 ? [{ caught_up, partner_id: null }] : found.map((entry) => ({ ...entry, caught_up })));
  }
}

function counted(rows: readonly unknown[]): Result {
  return { rows: [...rows], rowCount: rows.length };
}
