import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sharedApplication } from '../support/application.js';
import { admin, call, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { FEBRUARY, februaryCsv, type Made, pastOf, withoutCopy } from '../support/february.js';
import { textOf } from '../support/unit/pdf-text.js';
import { withinOne } from '../support/one-period.js';
import { rupa } from '../support/rupa.js';
import { type Application } from '../support/service.js';
import { runWallet, walletCommands } from '../support/unit/wallet-history.js';
import { givenPast } from '../support/wallet-past.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

interface Head {
  readonly revision: number;
  readonly hash: string;
}

interface Statement {
  readonly statement_number: string | null;
  readonly lines: readonly { readonly amount: number }[];
  readonly opening_head: Head;
  readonly closing_head: Head;
  readonly opening_balance: number;
  readonly credits: { readonly total: number; readonly items: { readonly amount: number }[] };
  readonly lookups: { readonly total: number; readonly sections: { readonly amount: number }[] };
  readonly pass_through: { readonly total: number; readonly providers: { readonly amount: number }[] };
  readonly refunds: { readonly total: number; readonly items: { readonly amount: number }[] };
  readonly closing_balance: number;
}

let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  service = await sharedApplication();
  bank = await makePartner(service, { company_name: 'Bank <b>&</b> Sons', credit: 0 });
  await givenPast(service, pastOf(bank.partner_id));
});

const show = (month: string, { partner_id } = bank) => admin(service, 'GET', `/partners/${partner_id}/wallet/statements/${month}`);
const headAt = async (partner: TestPartner, revision: number) => {
  const entry = (await entriesOf(service, partner)).find((each) => each.revision === revision);
  return { revision, hash: entry?.hash };
};
describe('a statement', () => {
  it('shows the opening balance, credits, charges, refunds and closing balance', async () => {
    const { partner_id } = bank;
    const [opening, closing] = [await headAt(bank, 0), await headAt(bank, 7)];
    expect((await show('2026-02')).body.data).toStrictEqual({
      ...FEBRUARY,
      partner_id,
      company_name: 'Bank <b>&</b> Sons',
      customer: {
        number: expect.any(Number),
        company_name: 'Bank <b>&</b> Sons',
        legal: { name: null, address: null, tax_id: null, registration_number: null, email: null },
      },
      made_at: expect.stringMatching(/^20\d\d-.*Z$/),
      as_of_index: expect.any(Number),
      opening_head: opening,
      closing_head: closing,
    });
    expect((await show('2026-01')).body.data).toMatchObject({
      opening_head: { revision: -1, hash: '0'.repeat(64) },
      closing_head: opening,
      opening_balance: 0,
      credits: { total: 1_000, items: [{ reference: 'opening', reason: null }] },
      lookups: { total: 0, count: 0 },
      closing_balance: 1_000,
    });
    const empty = {
      credits: { total: 0, items: [] },
      lookups: { total: 0, count: 0, sections: [] },
      pass_through: { total: 0, providers: [] },
      refunds: { total: 0, items: [] },
    };
    expect((await show('2026-03')).body.data).toMatchObject({
      ...empty,
      lines: [],
      vat: [],
      opening_balance: 805,
      opening_head: closing,
      closing_balance: 805,
      closing_head: closing,
    });
  });

  it('of the current month is marked incomplete and includes the latest charge', async () => {
    await admin(service, 'PUT', '/farmers/rp-statement-1', {});
    await withinOne('month', async (month) => {
      const partner = await makePartner(service, { credit: 500 });
      await partner.lookup('rp-statement-1', { sections: ['identity'] });
      expect((await show(month, partner)).body.data).toMatchObject({
        complete: false,
        opening_balance: 0,
        lookups: { count: 1, total: 50 },
        closing_balance: 450,
      });
    });
  });

  it('adds up, month by month and for any history, to the wallet’s balance at the end of the month', async () => {
    const months = ['2025-11', '2025-12', '2026-01', '2026-02'] as const;
    const times = [
      `${months[0]}-30T23:59:59.999Z`,
      `${months[1]}-31T23:59:59.999Z`,
      `${months[2]}-01T00:00:00.000Z`,
      `${months[3]}-15T10:00:00.000Z`,
    ] as const;
    for (let seed = 1; seed <= 4; seed += 1) {
      const partner = await makePartner(service, { credit: 0 });
      const [commands = []] = fc
        .sample(walletCommands(partner.partner_id, times), { numRuns: 20, seed })
        .sort((one, other) => other.length - one.length);
      const by = { partner_id: partner.partner_id, actor: 'test' };
      const begun = { ...by, kind: 'credit' as const, at: times[0], amount_kobo: 1, reference: 'first', ...ALL_SEARCHED };
      const closed = { ...by, kind: 'settle' as const, at: times[3], lookup_ids: ['l0', 'l1', 'l2', 'l3', 'l4', 'l5'] };
      // The service itself would refund an old open charge, so every charge is settled.
      await givenPast(service, runWallet([begun, ...commands, closed]).accepted);
      const hashes = new Map((await entriesOf(service, partner)).map(({ revision, hash }) => [revision, hash]));
      let head = { revision: -1, hash: '0'.repeat(64) };
      let opening = 0;
      for (const month of months) {
        const found = (await show(month, partner)).body.data as unknown as Statement;
        const { opening_balance, lines, credits, lookups, pass_through, refunds, closing_balance } = found;
        expect(found.statement_number).toBeNull();
        expect(found.opening_head).toStrictEqual(head);
        head = found.closing_head;
        expect(head.hash).toBe(hashes.get(head.revision));
        expect(kobo(opening_balance)).toBe(kobo(opening));
        const [added, deducted] = [
          [...credits.items, ...refunds.items],
          [...lookups.sections, ...pass_through.providers],
        ].map((lines) => lines.reduce((sum, { amount }) => sum + kobo(amount), 0));
        expect(kobo(opening_balance) + (added ?? 0) - (deducted ?? 0)).toBe(kobo(closing_balance));
        const charged = lines.reduce((sum, { amount }) => sum + kobo(amount), 0);
        expect(kobo(opening_balance) + kobo(credits.total) - charged).toBe(kobo(closing_balance));
        expect([kobo(credits.total) + kobo(refunds.total), kobo(lookups.total) + kobo(pass_through.total)]).toStrictEqual([
          added,
          deducted,
        ]);
        const end = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1) - 1).toISOString();
        expect((await admin(service, 'GET', `/partners/${partner.partner_id}/wallet?at=${end}`)).body.data.balance).toBe(closing_balance);
        opening = closing_balance;
      }
      expect((await admin(service, 'GET', `/partners/${partner.partner_id}/wallet`)).body.data.balance).toBe(opening);
    }
  });

  it('is refused for a month before the account existed, and for one that has not begun', async () => {
    for (const month of ['2025-12', '2199-01', '2199-01?format=html'])
      expect(await show(month)).toMatchObject({ status: 404, body: { success: false, code: 'statement_not_found' } });
  });

  it('is refused for an invalid month, an unknown format or an unknown partner', async () => {
    for (const month of ['2026-13', '2026', '2026-3', 'march']) {
      expect(await show(month)).toMatchObject({
        status: 422,
        body: { data: { errors: { month: ['The month field must be a month such as 2026-03.'] } } },
      });
    }
    expect(await show('2026-02?format=xlsx')).toMatchObject({
      status: 422,
      body: { data: { errors: { format: ['The format field must be one of json, csv, html, pdf.'] } } },
    });
    expect((await show('2026-02', { ...bank, partner_id: 'nobody' })).status).toBe(404);
    expect((await show('2026-02?format=html', { ...bank, partner_id: 'nobody' })).body).toMatchObject({ success: false });
    const path = `/admin/v1/partners/${bank.partner_id}/wallet/statements/2026-02`;
    expect((await call(service, 'GET', path, { headers: { Authorization: `Bearer ${service.auditorToken}` } })).status).toBe(200);
    expect((await call(service, 'GET', path)).status).toBe(401);
  });
});

describe('a statement to download', () => {
  const fetchAs = (format: string): Promise<Response> =>
    whenServed(() =>
      fetch(`${service.url}/admin/v1/partners/${bank.partner_id}/wallet/statements/2026-02?format=${format}`, {
        headers: { Authorization: `Bearer ${service.adminToken}` },
      }),
    );
  it('is available as CSV without formulas', async () => {
    const response = await fetchAs('csv');
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="statement-${bank.partner_id}-2026-02.csv"`);
    const made = (await show('2026-02')).body.data as unknown as Made;
    const text = await response.text();
    expect(withoutCopy(text)).toBe(februaryCsv(made));
  });

  it('is available as a page that loads and runs nothing and escapes names and reasons', async () => {
    const response = await fetchAs('html');
    const html = await response.text();
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'text/html; charset=utf-8']);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(html).not.toMatch(/<script|<link|<img|https?:|url\(|<b>|<i>/);
    expect(html).toContain('<title>Statement 2026-02: Bank &lt;b&gt;&amp;&lt;/b&gt; Sons</title>');
    expect(html).toContain('Payment: &lt;i&gt;goodwill&lt;/i&gt;');
    expect(html).toContain('<p>Issued by Rupa &lt;Data&gt; Ltd, 1 Marina, Lagos, tax id 12345678-0001</p>');
    expect(html).toMatch(/Without a number, made <time/);
    expect(html).toContain(
      `<td class="number" data-head="Revision">7</td><td class="code" data-head="Hash">${(await headAt(bank, 7)).hash}</td>`,
    );
    expect(html).toContain('<tr class="balance"><th scope="row">Balance so far</th><td class="number">805.00</td></tr>');
    expect(html).toContain(
      '<th scope="row">Refund: Identity</th><td class="count" data-head="Quantity">−1</td><td class="amount" data-head="Unit price">50.25</td>',
    );
    expect(html.match(/<th(?! scope="(?:row|col)")[ >]/g)).toBeNull();
  });
});

describe('a statement as PDF', () => {
  it('is a file with everything that the page shows', async () => {
    const response = await whenServed(() =>
      fetch(`${service.url}/admin/v1/partners/${bank.partner_id}/wallet/statements/2026-02?format=pdf`, {
        headers: { Authorization: `Bearer ${service.adminToken}` },
      }),
    );
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'application/pdf']);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="statement-${bank.partner_id}-2026-02.pdf"`);
    expect([bytes.subarray(0, 8).toString(), bytes.subarray(-6).toString()]).toStrictEqual(['%PDF-1.7', '%%EOF\n']);
    const text = (await textOf(bytes)).join(' ').replaceAll(' ', '');
    for (const part of [
      'Statement, February 2026 Bank <b>&</b> Sons',
      'Without a number, made',
      'Issued by Rupa <Data> Ltd, 1 Marina, Lagos, tax id 12345678-0001',
      '<i>goodwill</i>',
      'Refund: Identity −1 50.25 0 −50.25 0.00 −50.25',
      'Balance so far 805.00',
      (await headAt(bank, 7)).hash ?? '',
    ])
      expect(text).toContain(part.replaceAll(' ', ''));
  });
});

describe('a credit', () => {
  it('carries its reason into the wallet entry and the statement', async () => {
    await withinOne('month', async (month) => {
      const { partner_id } = await makePartner(service, { credit: 0 });
      const path = `/partners/${partner_id}/wallet`;
      expect(
        (await admin(service, 'POST', `${path}/credits`, { amount: 10, reference: 'a', reason: ' outage of 3 March ' })).body.data,
      ).toStrictEqual({ balance: 10, created: true });
      await admin(service, 'POST', `${path}/credits`, { amount: 20, reference: 'b' });
      expect((await rupa(service, ['partners', 'credit', partner_id, '30', '--reference', 'c', '--reason', 'goodwill'])).code).toBe(0);
      const { entries } = (await admin(service, 'GET', `${path}/entries`)).body.data as { entries: { reason: string | null }[] };
      expect(entries.map(({ reason }) => reason)).toStrictEqual(['outage of 3 March', null, 'goodwill']);
      expect((await admin(service, 'GET', `${path}/statements/${month}`)).body.data).toMatchObject({
        credits: { total: 60, items: [{ reason: 'outage of 3 March' }, { reason: null }, { reason: 'goodwill' }] },
      });
    });
  });

  it('is refused when the reason is too long', async () => {
    const errors = { reason: ['The reason field must not be greater than 255 characters.'] };
    expect(
      await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, {
        amount: 1,
        reference: 'long',
        reason: 'x'.repeat(256),
      }),
    ).toMatchObject({ status: 422, body: { data: { errors } } });
    expect(
      (await rupa(service, ['partners', 'credit', bank.partner_id, '1', '--reference', 'long', '--reason', 'x'.repeat(256)])).code,
    ).toBe(2);
  });
});

function kobo(naira: number): number {
  return Math.round(naira * 100);
}
