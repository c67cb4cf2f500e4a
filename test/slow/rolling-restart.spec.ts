import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Balancer, startBalancer } from '../support/balancer.js';
import { admin, balanceOf, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const WORKERS = 6;
const PRICE_NGN = 50;

describe('a rolling restart of two APIs behind a balancer, under load', () => {
  let stores: SharedStores;
  let apis: TestService[];
  let balancer: Balancer;
  let bank: TestPartner;
  let balanced: TestService;

  beforeAll(async () => {
    stores = await startSharedStores();
    await stores.start('projector,webhooks');
    const [one, other] = await Promise.all([
      stores.start('api', { SHUTDOWN_GRACE_MS: '2000' }),
      stores.start('api', { SHUTDOWN_GRACE_MS: '2000' }),
    ]);
    apis = [one, other];
    balancer = await startBalancer(apis);
    balanced = { ...one, url: balancer.url };
    await admin(one, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    bank = await makePartner(balanced, { credit: 10_000_000 });
  });
  afterAll(async () => {
    await balancer.close();
    await stores.close();
  });

  it('fails no request, loses no charge and refunds none', async () => {
    const load = new SteadyLoad(bank);
    load.start();
    for (const api of apis) {
      await load.answers(100);
      expect(await api.interrupt('SIGTERM')).toBe(0);
      await load.answers(100);
      await api.restart();
      await until(() => balancer.ready() === apis.length);
    }
    await load.answers(100);
    await load.stop();
    expect(load.failed).toStrictEqual([]);
    const entries = await entriesOf(balanced, bank);
    expect(entries.filter(({ type }) => type === 'WalletDebited')).toHaveLength(load.lookups);
    expect(entries.filter(({ type }) => type === 'RefundIssued')).toStrictEqual([]);
    expect(await balanceOf(balanced, bank)).toBe(10_000_000 - PRICE_NGN * load.lookups);
    expect((await admin(balanced, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data).toMatchObject({
      ok: true,
      fault: null,
    });
  }, 120_000);
});

/** Programs of one partner that keep their connections and never stop asking. */
class SteadyLoad {
  lookups = 0;
  readonly failed: unknown[] = [];
  private answered = 0;
  private stopping = false;
  private working: Promise<unknown> = Promise.resolve();

  constructor(private readonly partner: TestPartner) {}

  start(): void {
    this.working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => this.askForEver(worker)));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.working;
  }

  /** Waits for so many more. */
  async answers(count: number): Promise<void> {
    const enough = this.answered + count;
    await until(() => this.answered >= enough);
  }

  private async askForEver(worker: number): Promise<void> {
    for (let turn = 0; !this.stopping; turn += 1) {
      try {
        const { status, body } = await this.ask(worker, turn);
        if (status !== 200) this.failed.push({ status, body });
      } catch (error) {
        this.failed.push({ error: String(error), cause: String((error as Error).cause) });
      }
      this.answered += 1;
    }
  }

  private async ask(worker: number, turn: number): ReturnType<TestPartner['call']> {
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
