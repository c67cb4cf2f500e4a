import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Balancer, startBalancer } from '../support/balancer.js';
import { admin, balanceOf, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const WORKERS = 6;
const PRICE_NGN = 50;
/** Longer than a busy machine may pause this process: the balancer, which runs in it, must hear that an API is about to end. */
const GRACE_MS = '10000';

describe('a rolling restart of two APIs behind a load balancer, under load,', () => {
  let stores: SharedStores;
  let apis: TestService[];
  let balancer: Balancer;
  let bank: TestPartner;
  let balanced: TestService;

  beforeAll(async () => {
    stores = await startSharedStores();
    await stores.start('projector,webhooks');
    const [one, other] = await Promise.all([
      stores.start('api', { SHUTDOWN_GRACE_MS: GRACE_MS }),
      stores.start('api', { SHUTDOWN_GRACE_MS: GRACE_MS }),
    ]);
    apis = [one, other];
    balancer = await startBalancer(apis);
    balanced = { ...one, url: balancer.url, repeatsChanges: true };
    await whenServed(() => admin(one, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
    bank = await makePartner(balanced, { credit: 10_000_000 });
  });
  afterAll(async () => {
    await balancer.close();
    await stores.close();
  });

  it('fails no request, loses no charge and issues no refund', async () => {
    const load = new SteadyLoad(bank);
    load.start();
    for (const api of apis) {
      await load.responses(100);
      expect(await api.interrupt('SIGTERM')).toBe(0);
      await load.responses(100);
      await api.restart();
      await until(() => balancer.ready() === apis.length);
    }
    await load.responses(100);
    await load.stop();
    expect(load.failed).toStrictEqual([]);
    const entries = await entriesOf(balanced, bank);
    expect(entries.filter(({ type }) => type === 'WalletDebited')).toHaveLength(load.lookups);
    expect(entries.filter(({ type }) => type === 'RefundIssued')).toStrictEqual([]);
    expect(await balanceOf(balanced, bank)).toBe(10_000_000 - PRICE_NGN * load.lookups);
    const verified = await whenServed(() => admin(balanced, 'GET', `/partners/${bank.partner_id}/wallet/verification`));
    expect(verified.body.data).toMatchObject({ ok: true, fault: null });
  });
});

/** Clients of one partner that keep their connections and send requests without a pause. */
class SteadyLoad {
  lookups = 0;
  readonly failed: unknown[] = [];
  private responseCount = 0;
  private stopping = false;
  private working: Promise<unknown> = Promise.resolve();

  constructor(private readonly partner: TestPartner) {}

  start(): void {
    this.working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => this.requestForever(worker)));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.working;
  }

  /** Waits for this many more responses. */
  async responses(count: number): Promise<void> {
    const enough = this.responseCount + count;
    await until(() => this.responseCount >= enough);
  }

  private async requestForever(worker: number): Promise<void> {
    for (let turn = 0; !this.stopping; turn += 1) {
      try {
        const { status, body } = await this.request(worker, turn);
        if (status !== 200) this.failed.push({ status, body });
      } catch (error) {
        this.failed.push({ error: String(error), cause: String((error as Error).cause) });
      }
      this.responseCount += 1;
    }
  }

  private async request(worker: number, turn: number): ReturnType<TestPartner['call']> {
    if (turn % 5 === 3) return await this.partner.call('GET', '/me');
    if (turn % 5 === 4)
      return await this.partner.call('POST', '/report', {
        rupa_id: 'rp-1',
        event: 'loan_disbursed',
        amount: 10,
        partner_reference: `${worker}-${turn}`,
      });
    this.lookups += 1;
    return await this.partner.lookup('rp-1', { sections: ['identity'] });
  }
}
