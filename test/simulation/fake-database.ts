import { type Pool } from 'pg';
import { FakeStoredResponses } from './fake-stored-responses.js';
import { type FakeReadModels } from './fake-read-models.js';
import { type Network } from './network.js';
import { type SimulatedProcess } from './process.js';

type Result = { rows: unknown[]; rowCount: number };

const SWEEP =
  'select o.partner_id, array_remove(array_agg(case when k.response is not null then o.lookup_id end), null) as to_settle, ' +
  'array_remove(array_agg(case when k.response is null then o.lookup_id end), null) as to_refund ' +
  'from read.open_charge o left join ops.stored_response k on k.lookup_id = o.lookup_id where o.debited_at < $1 group by o.partner_id';
const FIND_CREDIT =
  'select coalesce(c.position >= $3, $3 < 0) as caught_up, e.amount_kobo from ops.checkpoint c ' +
  "left join read.wallet_entry e on e.partner_id = $1 and e.reference = $2 where c.projection = 'wallet_entry'";

/** Simulates the statements that a lookup's charge depends on. Any other statement is a fault of the history. */
export class FakeDatabase {
  readonly storedResponses: FakeStoredResponses;

  constructor(
    private readonly network: Network,
    private readonly readModels: FakeReadModels,
    now: () => number,
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
    return { query } as unknown as Pool;
  }

  /** Returns whether the farmer is on the partner's roster, as a lookup reads it. */
  async consented(process: SimulatedProcess, partnerId: string, rupaId: string): Promise<boolean> {
    return await this.network.call(process, 'query farmer', () => this.readModels.consents.has(`${partnerId} ${rupaId}`));
  }

  private run(statement: string, values: readonly unknown[]): Result {
    if (statement === SWEEP) return this.sweep(String(values[0]));
    if (statement === FIND_CREDIT) return this.credit(`${String(values[0])} ${String(values[1])}`, BigInt(String(values[2])));
    try {
      return this.storedResponses.run(statement, values);
    } catch (error) {
      this.onUnsupported(error);
      throw error;
    }
  }

  private sweep(debitedBefore: string): Result {
    const stale = [...this.readModels.openCharges.values()].filter(({ debited_at }) => debited_at < debitedBefore);
    const partners = [...new Set(stale.map(({ partner_id }) => partner_id))];
    const rows = partners.map((partner_id) => {
      const ids = stale.filter((row) => row.partner_id === partner_id).map(({ lookup_id }) => lookup_id);
      const hasResponse = (id: string): boolean => this.storedResponses.byLookup(id)?.response != null;
      return { partner_id, to_settle: ids.filter(hasResponse), to_refund: ids.filter((id) => !hasResponse(id)) };
    });
    return { rows, rowCount: rows.length };
  }

  private credit(key: string, position: bigint): Result {
    const { credits, entriesPosition } = this.readModels;
    return { rows: [{ caught_up: entriesPosition >= position, amount_kobo: credits.get(key) ?? null }], rowCount: 1 };
  }
}
