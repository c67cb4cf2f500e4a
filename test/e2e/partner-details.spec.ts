import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LEGAL_FIELDS } from '../../src/contexts/partners/domain/legal-details.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { startApplication } from '../support/application.js';
import { admin, call, makePartner } from '../support/client.js';
import { openLog, type ServiceLog } from '../support/service-log.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Details {
  readonly company_name: string;
  readonly legal: Readonly<Record<string, string | null>>;
}

const NONE = { name: null, address: null, tax_id: null, registration_number: null, email: null };
const FULL = { name: 'Ọ̀yọ́ Grain Plc', address: '12 Marina, Lagos', tax_id: '1-2', registration_number: 'RC 1', email: 'a@oyo.example' };

let service: TestService;
let log: ServiceLog;

beforeAll(async () => {
  service = await startApplication();
  log = await openLog(service);
});
afterAll(async () => {
  await log.eventStore.close();
  await service.stop();
});

const register = async (mode: 'live' | 'sandbox' = 'live') => {
  const { status, body } = await admin(service, 'POST', '/partners', { company_name: 'Grain', account_type: 'bank', mode });
  expect(status).toBe(201);
  return body.data as { partner_id: string; customer_number: number };
};
const patch = async (id: string, body: unknown) => await admin(service, 'PATCH', `/partners/${id}`, body);
const get = async (id: string) => (await admin(service, 'GET', `/partners/${id}`)).body.data as unknown as Details;

/** Returns the events of a type with their data, in the order of the log. */
async function eventsOf(type: string): Promise<Readonly<Record<string, unknown>>[]> {
  const found: Readonly<Record<string, unknown>>[] = [];
  for await (const page of logPages(log.eventStore)) for (const event of page) if (event.type === type) found.push(event.data);
  return found;
}

const changesOf = async (id: string) => (await eventsOf('PartnerDetailsChanged')).filter(({ partner_id }) => partner_id === id);

describe('the customer number of a partner', () => {
  it('counts the registrations of both modes in the order of the log, also of those at once, and is the same after a rebuild', async () => {
    const modes = Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? ('sandbox' as const) : ('live' as const)));
    const made = await Promise.all(modes.map(register));
    const order = (await eventsOf('PartnerRegistered')).map(({ partner_id }) => partner_id as string);
    for (const { partner_id, customer_number } of made) expect(customer_number).toBe(1001 + order.indexOf(partner_id));
    expect(new Set(made.map(({ customer_number }) => customer_number)).size).toBe(made.length);
    const listed = async () => {
      const { partners } = (await admin(service, 'GET', '/partners')).body.data as {
        partners: { partner_id: string; customer_number: number }[];
      };
      return Object.fromEntries(partners.map(({ partner_id, customer_number }) => [partner_id, customer_number]));
    };
    const numbers = await listed();
    expect(numbers).toStrictEqual(Object.fromEntries(order.map((id, index) => [id, 1001 + index])));
    for (const work of ['verify', 'rebuild']) {
      const { job_id } = (await admin(service, 'POST', `/projections/customer/${work}`)).body.data as { job_id: number };
      const job = async () => (await admin(service, 'GET', `/projections/jobs/${job_id}`)).body.data;
      await until(async () => !['queued', 'running'].includes(String((await job()).state)));
      expect(await job()).toMatchObject({ state: 'done', error: null, ...(work === 'verify' ? { differences: 0 } : {}) });
    }
    expect(await listed()).toStrictEqual(numbers);
    expect((await register()).customer_number).toBe(1001 + order.length);
  });

  it('stays whatever changes about the partner', async () => {
    const { partner_id, customer_number } = await register();
    expect((await patch(partner_id, { company_name: 'Other' })).body.data).toMatchObject({ partner_id, customer_number });
    expect((await admin(service, 'POST', `/partners/${partner_id}/activate`)).body.data).toMatchObject({ customer_number });
    expect(await get(partner_id)).toMatchObject({ customer_number });
  });
});

describe('the details of a partner', () => {
  it.each([
    ['sets all', {}, { company_name: 'New', legal: FULL }, { company_name: 'New', legal: FULL }],
    ['leaves what is not sent', { legal: FULL }, { legal: { tax_id: '3' } }, { company_name: 'Grain', legal: { ...FULL, tax_id: '3' } }],
    ['clears a field', { legal: FULL }, { legal: { email: null } }, { company_name: 'Grain', legal: { ...FULL, email: null } }],
    ['clears all', { legal: FULL }, { legal: null }, { company_name: 'Grain', legal: NONE }],
    ['changes the name alone', { legal: FULL }, { company_name: 'New' }, { company_name: 'New', legal: FULL }],
    ['trims', {}, { company_name: '  New ', legal: { name: ' N ' } }, { company_name: 'New', legal: { ...NONE, name: 'N' } }],
  ])('follow a merge patch that %s', async (_title, before, sent, expected) => {
    const { partner_id } = await register();
    await patch(partner_id, before);
    const { status, body } = await patch(partner_id, sent);
    expect([status, body.data]).toMatchObject([200, expected]);
    expect(await get(partner_id)).toStrictEqual(body.data);
    const events = await changesOf(partner_id);
    expect(events.at(-1)).toMatchObject({ ...expected, partner_id, actor: 'admin' });
  });

  it.each([[undefined], [{}], [{ company_name: 'New' }], [{ legal: {} }], [{ legal: FULL }], [{ legal: { name: FULL.name } }]])(
    'are recorded once: %j changes nothing',
    async (sent) => {
      const { partner_id } = await register();
      await patch(partner_id, { company_name: 'New', legal: FULL });
      expect(await patch(partner_id, sent ?? {})).toMatchObject({ status: 200, body: { data: { company_name: 'New', legal: FULL } } });
      expect(await changesOf(partner_id)).toHaveLength(1);
    },
  );

  it.each([
    [{ company_name: null }, 'company_name'],
    [{ company_name: ' ' }, 'company_name'],
    [{ company_name: 'x'.repeat(256) }, 'company_name'],
    [{ legal: 'x' }, 'legal'],
    [{ legal: [] }, 'legal'],
    [{ legal: { fax: '1' } }, 'legal.fax'],
    [{ customer_number: 1 }, 'customer_number'],
    ...LEGAL_FIELDS.flatMap((field) =>
      ['', ' ', 'x'.repeat(256), 1].map((value) => [{ legal: { [field]: value } }, `legal.${field}`] as const),
    ),
  ])('are refused, and not recorded: %j', async (sent, field) => {
    const { partner_id } = await register();
    const { status, body } = await patch(partner_id, { legal: { tax_id: '9' }, ...sent });
    expect([status, Object.keys(body.data.errors as object)]).toStrictEqual([422, [field]]);
    expect(await changesOf(partner_id)).toStrictEqual([]);
  });

  it.each(['application/merge-patch+json', 'application/json'])('are sent as %s', async (type) => {
    const { partner_id } = await register();
    const headers = { Authorization: `Bearer ${service.adminToken}`, 'Content-Type': type };
    const sent = { headers, body: { legal: { tax_id: '12' } } };
    expect(await call(service, 'PATCH', `/admin/v1/partners/${partner_id}`, sent)).toMatchObject({
      status: 200,
      body: { data: { legal: { tax_id: '12' } } },
    });
    if (type !== 'application/json')
      expect((await call(service, 'POST', `/admin/v1/partners/${partner_id}/activate`, sent)).status).toBe(415);
  });

  it('are those of a known partner, which administrators alone change', async () => {
    expect(await patch('nobody', {})).toMatchObject({ status: 404, body: { code: 'partner_not_found' } });
    const { partner_id } = await register();
    const asAuditor = { headers: { Authorization: `Bearer ${service.auditorToken}` } };
    expect((await call(service, 'PATCH', `/admin/v1/partners/${partner_id}`, { ...asAuditor, body: {} })).status).toBe(403);
    expect((await call(service, 'GET', `/admin/v1/partners/${partner_id}`, asAuditor)).body.data).toMatchObject({ legal: NONE });
  });

  it('name the company on its own page and on its statement, on every instance at once', async () => {
    const partner = await makePartner(service, { company_name: 'Before' });
    await partner.call('GET', '/me');
    await patch(partner.partner_id, { company_name: 'After' });
    expect((await partner.call('GET', '/me')).body.data).toMatchObject({ company_name: 'After' });
    const month = new Date().toISOString().slice(0, 7);
    const statement = await admin(service, 'GET', `/partners/${partner.partner_id}/wallet/statements/${month}`);
    expect(JSON.stringify(statement.body.data)).toContain('After');
  });

  it('become what RFC 7396 makes of patches that come at once, each of which is applied whole', async () => {
    const text = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' }).filter((drawn) => drawn.trim() === drawn);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...LEGAL_FIELDS), { minLength: 1 }), text, async (fields, value) => {
        const { partner_id } = await register();
        // Patches of different fields must not undo each other, in whatever order they are recorded.
        await Promise.all(fields.map(async (field) => await patch(partner_id, { legal: { [field]: value } })));
        const legal = { ...NONE, ...Object.fromEntries(fields.map((field) => [field, value])) };
        expect(await get(partner_id)).toMatchObject({ company_name: 'Grain', legal });
        expect(await changesOf(partner_id)).toHaveLength(fields.length);
      }),
      { numRuns: 6 },
    );
  });
});
