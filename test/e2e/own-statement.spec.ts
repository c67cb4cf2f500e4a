import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, call, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { pastOf } from '../support/february.js';
import { withinOne } from '../support/one-period.js';
import { textOf } from '../support/unit/pdf-text.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';
import { givenPast } from '../support/wallet-past.js';

let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  service = await sharedApplication();
  bank = await makePartner(service, { credit: 0 });
  await givenPast(service, pastOf(bank.partner_id));
});

const show = (month: string, { partner_id }: TestPartner) => admin(service, 'GET', `/partners/${partner_id}/wallet/statements/${month}`);

describe('a partner’s own statement', () => {
  it('is the administrator’s, for active and pending partners, in every format', async () => {
    const pending = await makePartner(service, { active: false, credit: 5 });
    await withinOne('month', async (month) => {
      for (const [partner, of] of [
        [bank, '2026-02'],
        [pending, month],
      ] as const) {
        const own = await partner.call('GET', `/wallet/statements/${of}`);
        expect(own.status).toBe(200);
        const copy = { made_at: null, as_of_index: null };
        expect({ ...own.body.data, ...copy }).toStrictEqual({ ...(await show(of, partner)).body.data, ...copy });
      }
    });
    for (const [format, type] of [
      ['csv', 'text/csv; charset=utf-8'],
      ['html', 'text/html; charset=utf-8'],
    ] as const) {
      const response = await whenServed(() =>
        fetch(`${service.url}/v1/rupa/wallet/statements/2026-02?format=${format}`, {
          headers: { 'X-API-KEY': bank.key },
        }),
      );
      expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, type]);
      expect(await response.text()).toContain('BVN and NIN data');
    }
  });

  it('is a PDF that has the same bytes twice, if both copies are made in the same second', async () => {
    const download = async (): Promise<Buffer> => {
      const response = await whenServed(() =>
        fetch(`${service.url}/v1/rupa/wallet/statements/2026-02?format=pdf`, { headers: { 'X-API-KEY': bank.key } }),
      );
      expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'application/pdf']);
      return Buffer.from(await response.arrayBuffer());
    };
    expect((await textOf(await download())).join(' ')).toContain('February 2026');
    // An administrator's call is recorded in the log, and so changes the next statement's `as_of_index`. This call is not.
    await until(async () => (await download()).equals(await download()));
  });

  it('is free, and refused without a key, for an invalid month and for a month without a statement', async () => {
    const before = await entriesOf(service, bank);
    expect(await bank.call('GET', '/wallet/statements/2025-12')).toMatchObject({ status: 404, body: { code: 'statement_not_found' } });
    expect((await bank.call('GET', '/wallet/statements/2026-13')).status).toBe(422);
    expect((await call(service, 'GET', '/v1/rupa/wallet/statements/2026-02')).status).toBe(401);
    expect(await entriesOf(service, bank)).toStrictEqual(before);
  });
});
