import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const REBUILDS = 3;
const FARMERS = 20;

interface VerificationResult {
  readonly projection: string;
  readonly rows: number;
  readonly differing: number;
}

describe('a rebuild of the read models while partners send requests', () => {
  let service: TestService;
  let partners: TestPartner[];

  beforeAll(async () => {
    // A list whose read model lags, because the machine is busy, is asked for again. Any other 503 is a fault of the rebuild.
    service = Object.assign(await startService(), { repeatsChanges: true as const });
    const farmer = { identity: { first_name: 'Aisha' }, credit_history: { credit_score: 600 } };
    for (let n = 0; n < FARMERS; n += 1) await whenServed(() => admin(service, 'PUT', `/farmers/rp-${n}`, farmer));
    partners = await Promise.all(['bank', 'agtech'].map((account_type) => makePartner(service, { account_type, credit: 5_000_000 })));
  });
  afterAll(() => service.stop());

  /** Looks up, reports and reads the roster until `done`, and expects every response to be as usual. */
  async function work(partner: TestPartner, seat: number, done: { yet: boolean }): Promise<{ lookups: number; reports: number }> {
    let [lookups, reports] = [0, 0];
    for (let turn = 0; !done.yet; turn += 1) {
      const rupa_id = `rp-${(turn * 7 + seat) % FARMERS}`;
      const lookup = await partner.lookup(rupa_id, { sections: ['identity'] });
      expect(lookup).toMatchObject({ status: 200, body: { data: { identity: { first_name: 'Aisha' } } } });
      lookups += 1;
      if (turn % 3 > 0) continue;
      const reference = `${seat}-${turn}`;
      const report = await partner.call('POST', '/report', {
        rupa_id,
        event: 'input_purchase',
        amount: 10,
        partner_reference: reference,
      });
      expect(report).toMatchObject({ status: 200, body: { data: { created: true } } });
      expect((await partner.call('GET', '/consents')).body.data.consents).toContainEqual(expect.objectContaining({ rupa_id }));
      reports += 1;
    }
    return { lookups, reports };
  }

  it('is not noticed by partners, and loses or duplicates nothing', async () => {
    const done = { yet: false };
    const agtech = partners[1];
    if (!agtech) throw new Error('There is no agtech partner.');
    const seats = Array.from({ length: 6 }, (_, seat) => work(agtech, seat, done));
    const all = Promise.all(seats);
    all.catch(() => undefined);
    for (let n = 0; n < REBUILDS; n += 1)
      expect(await rupa(service.dataDir, ['projections', 'rebuild', '--all', '--json'])).toMatchObject({ code: 0 });
    done.yet = true;
    const worked = await all;
    const [lookups, reports] = [worked.reduce((sum, one) => sum + one.lookups, 0), worked.reduce((sum, one) => sum + one.reports, 0)];
    const me = await whenServed(() => agtech.call('GET', '/me'));
    expect(me.body.data).toMatchObject({ wallet_balance: 5_000_000 - 50 * lookups });
    const verified = await rupa(service.dataDir, ['projections', 'verify', '--all', '--json']);
    const rows = Object.fromEntries(
      (JSON.parse(verified.out) as VerificationResult[]).map((one) => [one.projection, [one.rows, one.differing]]),
    );
    expect(verified.code).toBe(0);
    expect(rows).toMatchObject({ contribution: [reports, 0], farmer_profile: [FARMERS, 0], wallet_entry: [expect.any(Number), 0] });
    expect(Object.values(rows).every(([, differing]) => differing === 0)).toBe(true);
    expect(service.output()).not.toMatch(/"level":(50|60)/);
  });

  it('leaves every projection live and caught up, which the API and the command line show', async () => {
    // Each call of an administrator is itself an event, which the read models show a moment later.
    const names = await until(async () => {
      const { projections } = (await whenServed(() => admin(service, 'GET', '/projections'))).body.data as {
        projections: { name: string; lag: number; status: string; error: unknown }[];
      };
      return (
        projections.every(({ lag, status, error }) => lag === 0 && status === 'live' && error === null) &&
        projections.map(({ name }) => name)
      );
    });
    expect(names).toContain('wallet_entry');
    await until(async () => {
      const { code, out } = await rupa(service.dataDir, ['projections', 'status']);
      expect(code).toBe(0);
      return /farmer_profile +│ live +│ +\d+ │ +0 │ +20 │/.test(out);
    });
  });

  it('is refused as wrong usage for an unknown projection or none, and names the known ones', async () => {
    expect(await rupa(service.dataDir, ['projections', 'rebuild', 'wallets'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('wallet_entry'),
    });
    expect(await rupa(service.dataDir, ['projections', 'verify'])).toMatchObject({ code: 2, err: expect.stringContaining('--all') });
  });
});
