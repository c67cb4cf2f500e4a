import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';

/** Each is an edit that the database's password allows. */
const EDITS = {
  'one fee of the newest version': `update read.price_book set fees_kobo = fees_kobo || '{"svc_fee.identity": 1}' where version = 3`,
  'the rate of VAT of the newest version': 'update read.price_book set vat_percent = 7.5 where version = 3',
  'a newer version': `insert into read.price_book (version, fees_kobo, vat_percent, published_at) select 4, fees_kobo || '{"svc_fee.identity": 1}', 7.5, now() from read.price_book where version = 3`,
  'the newest version removed': 'delete from read.price_book where version = 3',
};

describe('the prices that are charged', () => {
  let service: TestService;
  let pool: Pool;
  let partner: TestPartner;

  beforeAll(async () => {
    service = await startApplication();
    pool = testPool(service.stores.DATABASE_URL ?? '', 1);
    partner = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-priced', {});
    const { fees } = (await admin(service, 'GET', '/price-book')).body.data as { fees: Record<string, number> };
    for (const identity of [60, 70]) await admin(service, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.identity': identity } });
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });

  const charged = async (): Promise<unknown> => (await partner.lookup('rp-priced', { sections: ['identity'] })).body.data.billing;

  it.each(Object.entries(EDITS))('are those of the log after an edit of the table: %s', async (_name, edit) => {
    const { rows } = await pool.query('select * from read.price_book');
    await pool.query(edit);
    try {
      // Every change of a key makes each instance read prices again.
      await admin(service, 'POST', '/api-keys', {});
      expect(await charged()).toMatchObject({ amount_charged: 70 });
    } finally {
      await pool.query('delete from read.price_book');
      for (const { version, fees_kobo, vat_percent, published_at } of rows)
        await pool.query('insert into read.price_book (version, fees_kobo, vat_percent, published_at) values ($1, $2, $3, $4)', [
          version,
          fees_kobo,
          vat_percent,
          published_at,
        ]);
    }
    expect((await admin(service, 'GET', `/partners/${partner.partner_id}/wallet/verification`)).body.data).toMatchObject({ ok: true });
  });
});
