import { type Pool } from 'pg';
import { isManual } from '../../src/contexts/wallet/domain/crediting/manual-entries.js';
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
const SEARCHED = [
  ...['partner_id', 'revision', 'type', 'amount_kobo', 'reference', 'kind', 'credit_reference', 'lookup_id', 'rupa_id'],
  ...['breakdown_kobo', 'fees', 'vat_percent', 'bank_fee_kobo', 'withheld_tax_kobo'],
];
const searched = (alias: string): string => SEARCHED.map((name) => `${alias}.${name}`).join(', ');
const ENTRIES_TO_SEARCH =
  `select coalesce(c.position >= $2, $2 < 0) as caught_up, f.* from ops.checkpoint c left join ( select ${searched('e')} ` +
  'from read.wallet_entry e where e.partner_id = $1 and ' +
  "e.type in ('WalletCredited', 'CreditReversed', 'WalletPaidOut', 'LookupCompensated') " +
  `union all select ${searched('d')} from read.wallet_entry d where d.lookup_id = $3 and d.partner_id || '' = $1 ` +
  "and case when d.type = 'WalletDebited' then true end) f on true where c.projection = 'wallet_entry' order by f.revision";
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
    if (statement === ENTRIES_TO_SEARCH) return this.entriesToSearch(values);
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

  private entriesToSearch([partnerId, position, lookupId]: readonly unknown[]): Result {
    const { entries, entriesPosition } = this.readModels;
    const caught_up = entriesPosition >= BigInt(String(position));
    const found = entries.filter(
      ({ partner_id, type, lookup_id }) =>
        partner_id === partnerId && (isManual(type) || (type === 'WalletDebited' && lookup_id === lookupId)),
    );
    return counted(found.length === 0 ? [{ caught_up, partner_id: null }] : found.map((entry) => ({ ...entry, caught_up })));
  }
}

function counted(rows: readonly unknown[]): Result {
  return { rows: [...rows], rowCount: rows.length };
}
