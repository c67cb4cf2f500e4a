import { beforeAll, describe, expect, it } from '@jest/globals';
import { ISSUER, sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { februaryCsv, type Made, pastOf, withoutCopy } from '../support/february.js';
import { rupa } from '../support/rupa.js';
import { type Application } from '../support/service.js';
import { givenPast } from '../support/wallet-past.js';

describe('rupa wallet statement', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service, { company_name: 'Bank <b>&</b> Sons', credit: 0 });
    await givenPast(service, pastOf(bank.partner_id));
  });

  it('prints a statement as a table, as CSV, as HTML, as PDF and as JSON', async () => {
    const print = (...args: string[]) => rupa(service, ['wallet', 'statement', bank.partner_id, ...args], '', ISSUER);
    const html = await whenServed(() =>
      fetch(`${service.url}/admin/v1/partners/${bank.partner_id}/wallet/statements/2026-02?format=html`, {
        headers: { Authorization: `Bearer ${service.adminToken}` },
      }),
    );
    const { code, out } = await print('2026-02');
    expect(code).toBe(0);
    expect(out).toMatch(/│ opening balance +│ 1,000\.00 │/);
    expect(out).toMatch(/│ fees +│ +-220\.00 │/);
    expect(out).toMatch(/│ Refund: Identity +│ +-1 │ +50\.25 │ +0 │ +-50\.25 │ +0\.00 │ +-50\.25 │/);
    expect(out).toMatch(/│ balance so far +│ +805\.00 │/);
    const { data } = (await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/statements/2026-02`)).body;
    const made = data as unknown as Made;
    expect(out).toContain('Without a number, made 20');
    expect(out).toContain('1 to 28 February 2026 (UTC), not closed; 2 lookups charged');
    expect(out).toContain(`Customer ${made.customer.number}`);
    expect(out).toContain('Issued by Rupa <Data> Ltd, 1 Marina, Lagos, tax id 12345678-0001');
    expect(out).toContain('Payment: <i>goodwill</i>');
    expect(out).toMatch(new RegExp(`│ closing +│ +7 │ ${made.closing_head.hash} │`));
    expect(withoutCopy((await print('2026-02', '--format', 'csv')).out)).toBe(februaryCsv(made));
    const withoutTime = (page: string): string => page.replace(/made <time.*? of the log/, '');
    expect(withoutTime((await print('2026-02', '--format', 'html')).out)).toBe(withoutTime(await html.text()));
    // The bundled command finds the fonts.
    expect((await print('2026-02', '--format', 'pdf')).out).toMatch(/^%PDF-1\.7\n[^]*%%EOF\n$/);
    expect(JSON.parse((await print('2026-02', '--format', 'json')).out)).toStrictEqual({
      ...data,
      made_at: expect.any(String),
      as_of_index: expect.any(Number),
    });
    expect((await print('2026-2')).code).toBe(2);
    expect(await rupa(service, ['wallet', 'statement', 'nobody', '2026-02'])).toMatchObject({
      code: 1,
      err: 'No partner found for that id.\n',
    });
  });
});
