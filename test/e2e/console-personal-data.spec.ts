import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { RECORD } from '../support/section-facts.js';
import { type Application } from '../support/service.js';

const RUPA_ID = 'rp-console-personal';
const PAGE = `/console/farmers/${RUPA_ID}`;
/** The number stands alone: milliseconds of a time and tokens of the page may hold its digits. */
const PERSONAL = /Aisha|Bello|\+2348030000000|River plot|Sabon Gari|(?<![.\w-])640(?![\w-])/;
const ACTION = 'GET /admin/v1/farmers/:rupaId';

interface Entry {
  readonly entry_id: string;
  readonly role: string;
  readonly status: number;
  readonly reason: string | null;
}

describe('personal data in the console', () => {
  let service: Application;
  let administrator: ConsoleVisitor;
  let auditor: ConsoleVisitor;

  beforeAll(async () => {
    service = await sharedApplication();
    // The totals, and the lists of partners' reports, are never recorded.
    const { total_outstanding: _total, partner_loans: _loans, ...outstanding_loans } = RECORD.outstanding_loans;
    const { partner_reported_repayments: _repayments, ...credit_history } = RECORD.credit_history;
    const { identity, bvn_nin_data, transaction_volume, farms, wallet, socioeconomic_profile } = RECORD;
    const sections = { identity, bvn_nin_data, credit_history, outstanding_loans, transaction_volume, farms, wallet };
    const recorded = await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { phone_verified: true, ...sections, socioeconomic_profile });
    expect(recorded.status).toBe(200);
    administrator = new ConsoleVisitor(service);
    auditor = new ConsoleVisitor(service);
    await administrator.signIn(service.adminToken);
    await auditor.signIn(service.auditorToken);
  });

  const show = async (visitor: ConsoleVisitor, fields: Record<string, string>, page = PAGE): Promise<[number, string, Headers]> => {
    const acted = await visitor.submit(page, { ...(await visitor.crafted(page)), ...fields });
    expect([acted.status, await acted.text()]).toStrictEqual([303, '']);
    const response = await visitor.get(acted.headers.get('location') ?? '');
    return [response.status, await response.text(), response.headers];
  };
  const readings = async (): Promise<readonly Entry[]> => {
    const query = new URLSearchParams({ action: ACTION, limit: '200' }).toString();
    const { entries } = (await admin(service, 'GET', `/audit-trail?${query}`)).body.data as { entries: (Entry & { target: string })[] };
    return entries.filter(({ target }) => target === RUPA_ID);
  };

  it('is on no page without a reason, and is not even read', async () => {
    const before = await readings();
    const html = await (await administrator.get(PAGE)).text();
    expect(html).not.toMatch(PERSONAL);
    expect(html).toContain('Show personal data');
    expect(await readings()).toStrictEqual(before);
  });

  it('is not in the audit trail of a search for it, and an id that exists is', async () => {
    const words = ['22298765432', 'Aminatu', '08039998877'];
    for (const text of [...words, RUPA_ID]) expect((await administrator.get(`/console/search?q=${text}`)).status).toBe(200);
    const { entries } = (await admin(service, 'GET', '/audit-trail?limit=200')).body.data as {
      entries: readonly { target: string | null }[];
    };
    expect(words.filter((text) => JSON.stringify(entries).includes(text))).toStrictEqual([]);
    expect(entries.map(({ target }) => target)).toContain(RUPA_ID);
  });

  it('is shown for a reason, section by section, under the name and the reason that are in the audit trail', async () => {
    const reason = 'Ẹ̀sùn 4711: “50% & <b>more</b>”';
    const [status, html, headers] = await show(administrator, { reason });
    expect([status, headers.get('cache-control')]).toStrictEqual([200, 'no-store']);
    for (const text of [
      'Aisha Bello',
      '+2348030000000',
      'BVN: masked',
      'Last 90 days',
      'as of <time',
      '*******1234',
      'River plot',
      'repayment on time',
      'bicycle',
    ])
      expect(html).toContain(text);
    expect(html).toContain('<td class="numeric"><span class="money">₦12.50</span></td>');
    expect(html).toMatch(/<td [^>]*class="numeric[^"]*"[^>]*><span class="money">USD 90\.00<\/span><\/td>/);
    expect(html).toContain('<time datetime="1990-01-02">1990-01-02</time>');
    expect(html).toContain('admin read this record for the reason “Ẹ̀sùn 4711: “50% &amp; &lt;b>more&lt;/b>””');
    expect((await readings())[0]).toMatchObject({ role: 'admin', status: 200, reason });
  });

  it('shows the record and the reason once only', async () => {
    const html = await (await administrator.get(PAGE)).text();
    expect(html).not.toMatch(PERSONAL);
    // The tokens of the page's forms are random, and may contain the four digits of the reason.
    expect(html).not.toContain('Ẹ̀sùn');
  });

  it('is not shown without a reason, nor for one that is too short, too long or not printable', async () => {
    for (const reason of ['', '  ', 'ab', 'x'.repeat(501), 'two\nlines']) {
      const [status, html] = await show(administrator, { reason });
      expect([reason.slice(0, 9), status]).toStrictEqual([reason.slice(0, 9), 422]);
      expect(html).toContain('Nothing was shown: the reason must have 3 to 500 characters of printable text.');
      expect(html).not.toMatch(PERSONAL);
      expect((await readings())[0]).toMatchObject({ role: 'admin', status: 422, reason: null });
    }
    const [status, html] = await show(administrator, {});
    expect([status, PERSONAL.test(html)]).toStrictEqual([422, false]);
  });

  it('is refused to an auditor, who gets no form, and the attempt is recorded', async () => {
    expect(await (await auditor.get(PAGE)).text()).not.toContain('Show personal data');
    const [status, html] = await show(auditor, { reason: 'Complaint 4711' });
    expect(status).toBe(403);
    expect(html).toContain('This token may not read farmers’ personal data.');
    expect(html).not.toMatch(PERSONAL);
    expect((await readings())[0]).toMatchObject({ role: 'auditor', status: 403 });
  });

  it('is not shown to a form without the token of the session, or from another site, and is not even read', async () => {
    const before = await readings();
    const reason = 'Complaint 4711';
    const forged = [
      await administrator.submit(PAGE, { reason }),
      await administrator.submit(PAGE, { reason, ...(await administrator.crafted(PAGE)) }, { 'Sec-Fetch-Site': 'cross-site' }),
    ];
    for (const response of forged) expect([response.status, PERSONAL.test(await response.text())]).toStrictEqual([403, false]);
    const ofAnother = await administrator.submit(PAGE, { reason, ...(await auditor.crafted(PAGE)) });
    expect([ofAnother.status, ofAnother.headers.get('location')]).toStrictEqual([303, PAGE]);
    expect(await readings()).toStrictEqual(before);
  });

  it('is not found for an unknown or an erased farmer', async () => {
    await admin(service, 'PUT', '/farmers/rp-console-erased', { identity: { full_name: 'Aisha Bello' } });
    await admin(service, 'DELETE', '/farmers/rp-console-erased');
    for (const id of ['rp-console-erased', 'rp-console-unknown']) {
      const [status, html] = await show(administrator, { reason: 'Complaint 4711' }, `/console/farmers/${id}`);
      expect([id, status, PERSONAL.test(html)]).toStrictEqual([id, 404, false]);
    }
    expect(await (await administrator.get('/console/farmers/rp-console-erased')).text()).not.toContain('Show personal data');
  });
});
