import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { projections } from '../../projections/index.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type Projection } from '../../src/platform/projecting/projection.js';
import { type AnyEvent } from '../../src/stores/any-event.js';
import { CATEGORIES } from '../../src/stores/event-streams.js';
import { testPool } from '../support/database.js';
import { admin, type ApiResponse, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { requestCredit } from '../support/pending-approval.js';
import { rupa } from '../support/rupa.js';
import { DENSE, type ServiceUnderLoad, SPARSE, startServiceUnderLoad } from '../support/service-under-load.js';
import { until } from '../support/until.js';

/** Categories with one stream, which every lookup needs: a price that may have changed is not guessed. */
const OF_ALL = ['pricebook', 'priceschedule'];
/** Categories with one stream, which concerns no lookup. */
const SINGLE = ['approvallimit', 'maintenance', 'ids', 'checkpoints', 'checkpoint_keys', 'operations', 'log'];

describe('lookups of two APIs', () => {
  let service: ServiceUnderLoad;
  let pool: Pool;
  let client: EventStoreDBClient;
  let eventStore: EventStore;
  let other: TestPartner;
  let fees: object;
  const other_id = `rp-${randomUUID()}`;

  beforeAll(async () => {
    // docs/operations.md shows the figures of the denser load.
    service = await startServiceUnderLoad(process.env.WHAT_BREAKS ? DENSE : SPARSE);
    pool = testPool(service.postgres.url, 1);
    client = EventStoreDBClient.connectionString(service.store.connectionString);
    eventStore = new EventStore(service.store.connectionString);
    await whenServed(() => admin(service.processes.one, 'PUT', `/farmers/${other_id}`, {}));
    other = await makePartner(service.processes.one);
    ({ fees } = (await whenServed(() => admin(service.processes.one, 'GET', '/price-book'))).body.data as { fees: object });
  });
  afterAll(async () => {
    await client.dispose();
    await eventStore.close();
    await pool.end();
    await service.close();
  });

  const faulted = async (): Promise<number | null> => (await pool.query('select from ops.checkpoint where fault is not null')).rowCount;

  /**
   * Returns the call that changes a read model, unless lookups change it by themselves. It follows from the types of events that the read
   * model folds, so that a new one is changed without a line here. @throws Error for a read model that no call here changes
   */
  function changeOf(model: Projection): (() => Promise<ApiResponse>) | undefined {
    const { one } = service.processes;
    const changes: { readonly [Type in AnyEvent['type']]?: (() => Promise<ApiResponse>) | undefined } = {
      WalletDebited: undefined,
      PartnerRegistered: () => admin(one, 'POST', '/partners', { company_name: 'New', account_type: 'bank', mode: 'live' }),
      ApiKeyIssued: () => admin(one, 'POST', `/partners/${other.partner_id}/api-keys`, {}),
      LedgerEntryPosted: () =>
        admin(one, 'POST', '/ledger/entries', { kind: 'bank_interest', amount: 1, reference: randomUUID(), reason: 'interest' }),
      PeriodClosed: async () => {
        const entry = { kind: 'bank_interest', amount: 1, date: '2026-01-15', reference: randomUUID(), reason: 'interest' };
        await admin(one, 'POST', '/ledger/entries', entry);
        return await admin(one, 'POST', '/ledger/periods/2026-01/close', {});
      },
      FarmerSectionUpdated: () => admin(one, 'PUT', `/farmers/${other_id}`, { identity: { first_name: 'Bisi' } }),
      FarmerErased: () => admin(one, 'DELETE', `/farmers/${other_id}`),
      ContributionRecorded: () => other.call('POST', '/report', { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 7 }),
      PriceBookPublished: () => admin(one, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.wallet': 51 } }),
      WebhookRegistered: () => other.call('POST', '/webhooks', { url: 'https://example.com/hook' }),
      LowBalanceThresholdChanged: () => other.call('PUT', '/me/low-balance', { amount: 1 }),
      AdminCallBegun: () => admin(one, 'GET', '/partners'),
      ApprovalRequested: async () => {
        // No call here needs a second person, so the request of one is written as the service would.
        await requestCredit(eventStore, other.partner_id);
        return await admin(one, 'GET', '/approvals');
      },
    };
    const found = Object.entries(changes).find(([type]) => model.handler(type) !== undefined);
    if (!found) throw new Error(`No call here changes the read model ${model.name}.`);
    return found[1];
  }

  /** Makes the change, again if it was refused before it was recorded, and returns the status of the response. */
  async function makeChange(model: Projection): Promise<number | undefined> {
    for (;;) {
      const status = (await changeOf(model)?.())?.status;
      if (status !== 503 || (await faulted()) === 1) return status;
    }
  }

  it.each(projections)('are all served while the read model $name is faulted', async (projection) => {
    const model = projection.name;
    const during = async (): Promise<void> => {
      await pool.query(`alter table read.${model} add constraint refused check (false) not valid`);
      const changed = makeChange(projection);
      await until(async () => (await faulted()) === 1);
      await service.load.serves();
      await pool.query(`alter table read.${model} drop constraint refused`);
      const retried = await whenServed(() => admin(service.processes.other, 'POST', `/projections/${model}/retry`));
      expect(retried.status).toBe(202);
      await until(async () => (await faulted()) === 0);
      // The change is recorded, whether or not its read model shows it in time.
      expect([undefined, 200, 201, 202, 503]).toContain(await changed);
    };
    expect(await service.notServedDuring(`the read model ${model} is faulted`, during)).toStrictEqual([]);
  });

  /** Appends what an operator's tool could. */
  async function append(stream: string): Promise<string> {
    const { position } = await client.appendToStream(stream, jsonEvent({ type: 'OperatorNote', data: { a: 1 } }));
    return String(position?.commit);
  }

  it('are all served while events that nobody here wrote are in a stream of each kind that they do not need', async () => {
    const others = [...CATEGORIES].filter((category) => ![...OF_ALL, ...SINGLE].includes(category));
    const streams = [
      'nobodys-stream',
      ...SINGLE.map((category) => `${category}-main`),
      ...others.map((category) => `${category}-${randomUUID()}`),
    ];
    const during = async (): Promise<void> => {
      for (const stream of streams) await append(stream);
      await until(async () => {
        const { rows } = await pool.query<{ category: string }>('select distinct category from ops.unusable_event');
        return rows.length === SINGLE.length + others.length;
      });
      await service.load.serves();
    };
    expect(await service.notServedDuring('events that nobody here wrote in all other streams', during)).toStrictEqual([]);
  });

  it.each([
    ['wallet', ({ partner_id }: TestPartner) => partner_id],
    ['farmer', () => 'rp-1'],
    ['pricebook', () => 'main'],
    ['priceschedule', () => 'main'],
  ])('are served again as soon as an event that nobody here wrote in their %s is skipped', async (category, id) => {
    const during = async (): Promise<void> => {
      const before = service.load.notServed.length;
      const position = await append(`${category}-${id(service.bank)}`);
      await until(() => service.load.notServed.length > before);
      const { one } = service.processes;
      await until(async () => (await call(one, 'GET', '/health/ready')).status === 200);
      await until(async () => (await rupa(one, ['events', 'skip', position, '--reason', 'a note of a tool'])).code === 0);
    };
    await service.notServedDuring(`an event that nobody here wrote in the lookups' ${category}`, during);
    await service.recovers();
  });
});
