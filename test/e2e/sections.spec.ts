import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { FEES, MANDATORY, RECORD as record } from '../support/section-facts.js';
import { type Application } from '../support/service.js';

const sections = Object.keys(record) as (keyof typeof record)[];

describe('the sections of a lookup', () => {
  let service: Application;
  let all: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    all = await makePartner(service);
    await admin(service, 'PUT', `/partners/${all.partner_id}/optional-sections`, { sections });
    expect((await admin(service, 'PUT', '/farmers/rp-sections-1', record)).status).toBe(200);
  });

  it('are recorded again as the record shows them, computed fields too, under the Rupa ID of the path alone', async () => {
    const path = '/farmers/rp-sections-1';
    const shown = (await admin(service, 'GET', path)).body.data;
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(['rupa_id', 'profile_tier', ...sections]));
    expect(await admin(service, 'PUT', path, shown)).toMatchObject({ status: 200, body: { data: { created: false } } });
    expect((await admin(service, 'GET', path)).body.data).toStrictEqual(shown);
    expect(await admin(service, 'PUT', path, { ...shown, rupa_id: 'rp-sections-2' })).toMatchObject({
      status: 422,
      body: { data: { errors: { rupa_id: ['The rupa id field must be the one of the path.'] } } },
    });
  });

  it.each(sections)('include %s in the shape of the interface, billed at its fee', async (section) => {
    const { body } = await all.lookup('rp-sections-1', { sections: [section] });
    expect(body.data[section]).toStrictEqual(record[section]);
    expect(body.data.billing).toMatchObject({ amount_charged: FEES[section], credits: FEES[section] / 10 });
    expect(sections.filter((name) => name in body.data)).toStrictEqual([section]);
  });

  it('are all returned when none is requested', async () => {
    const { body } = await all.lookup('rp-sections-1');
    expect(sections.filter((name) => name in body.data)).toStrictEqual(sections);
    expect(body.data.billing).toMatchObject({ amount_charged: Object.values(FEES).reduce((sum, fee) => sum + fee, 0) });
  });

  it.each(Object.entries(MANDATORY))('are limited to the mandatory ones for a new %s', async (account_type, mandatory) => {
    const partner = await makePartner(service, { account_type });
    const whole = await partner.lookup('rp-sections-1');
    expect(sections.filter((name) => name in whole.body.data)).toStrictEqual(sections.filter((name) => mandatory.includes(name)));
    const asked = await partner.lookup('rp-sections-1', { sections });
    expect((asked.body.data.meta as { denied_sections: string[] }).denied_sections.sort()).toStrictEqual(
      sections.filter((name) => !mandatory.includes(name)).sort(),
    );
  });
});
