import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { checkForgedRows } from '../../src/operations/doctor/check-stored-data.js';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, call, makePartner, type TestPartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const UNAVAILABLE = { status: 503, body: { code: 'unavailable' } };
const DEBIT = "type = 'WalletDebited'";
const CREDIT = "type = 'WalletCredited'";

describe('a wallet of which somebody edited the rows with the database’s password', () => {
  let service: TestService;
  let pool: Pool;
  let partner: TestPartner;
  let lookupId: string;

  beforeAll(async () => {
    service = await startApplication({}, { repeats: false });
    pool = testPool(service.stores.DATABASE_URL ?? '', 2);
    partner = await makePartner(service);
    const rupaId = `rp-${randomUUID()}`;
    await admin(service, 'PUT', `/farmers/${rupaId}`, {});
    expect((await partner.lookup(rupaId)).status).toBe(200);
    const entries = async (type: string): Promise<{ lookup_id: string }[]> =>
      (
        await pool.query<{ lookup_id: string }>(`select lookup_id from read.wallet_entry where partner_id = $1 and ${type}`, [
          partner.partner_id,
        ])
      ).rows;
    await until(async () => (await entries("type = 'ChargesSettled'")).length === 1);
    lookupId = (await entries(DEBIT))[0]?.lookup_id ?? '';
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });

  const compensate = (): Promise<ApiResponse> => admin(service, 'POST', `/lookups/${lookupId}/compensation`, { reason: 'a wrong lookup' });
  const reversal = { credit_reference: 'opening', amount: 1, reason: 'wrong', reference: 'back' };
  const reverse = (): Promise<ApiResponse> => admin(service, 'POST', `/partners/${partner.partner_id}/wallet/reversals`, reversal);

  it.each<[edit: string, set: string, of: string, refused: () => Promise<ApiResponse>]>([
    ['the amount of a charge', 'amount_kobo = amount_kobo * 100', DEBIT, compensate],
    ['the rate of its VAT', 'vat_percent = 7.5', DEBIT, compensate],
    ['its fees', "fees = '[0,1]'", DEBIT, compensate],
    ['the amount of a credit', 'amount_kobo = amount_kobo * 2', CREDIT, reverse],
    ['the kind of a credit', "kind = 'goodwill'", CREDIT, reverse],
  ])('gives nothing back, and takes nothing back, by %s that was edited', async (_edit, set, of, refused) => {
    const before = await balanceOf(service, partner);
    const genuine = 'partner_id = $1 and ' + of;
    const { rows } = await pool.query<{ row: string; revision: number }>(
      `select to_jsonb(e)::text as row, revision from read.wallet_entry e where ${genuine}`,
      [partner.partner_id],
    );
    const [kept] = rows;
    expect((await pool.query(`update read.wallet_entry set ${set} where ${genuine}`, [partner.partner_id])).rowCount).toBe(1);
    expect(await refused()).toMatchObject(UNAVAILABLE);
    await pool.query('delete from read.wallet_entry where partner_id = $1 and revision = $2', [partner.partner_id, kept?.revision]);
    await pool.query('insert into read.wallet_entry select * from jsonb_populate_record(null::read.wallet_entry, $1)', [kept?.row]);
    expect(await balanceOf(service, partner)).toBe(before);
  });

  it('is named, and works again once its rows are those of the log', async () => {
    await until(async () => {
      const { reasons = [] } = (await call(service, 'GET', '/health/ready')).body.data as { reasons?: string[] };
      return reasons.some((reason) => reason.includes(' of wallet_entry cannot be trusted'));
    });
    await until(async () => (await checkForgedRows(pool)).some(({ todo }) => todo?.includes('rupa projections rebuild wallet_entry')));
    expect((await compensate()).body.data).toMatchObject({ balance: 100_000, created: true });
    expect((await reverse()).body.data).toMatchObject({ balance: 99_999, created: true });
  });
});
