import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { findRunning } from '../../embedded/data-folder.js';
import { Canaries } from '../support/canaries.js';
import { admin, entriesOf, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rupa } from '../support/rupa.js';
import { filesHolding, tablesHolding } from '../support/search.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const SECTIONS = [
  'farms',
  'underwriting_value',
  'wallet',
  'socioeconomic_profile',
  'credit_history',
  'outstanding_loans',
  'transaction_volume',
  'identity',
  'bvn_nin_data',
];
const KEY = { 'Idempotency-Key': 'once' };

describe('an erased farmer', () => {
  let service: TestService;
  let receiver: Receiver;
  let partners: TestPartner[];
  let bank: TestPartner;
  let insurer: TestPartner;
  let agtech: TestPartner;
  /** A connection with a transaction from before the erasure that reads nothing, as between two statements. */
  let older: pg.Client;
  const [gone, stays] = [new Canaries(), new Canaries()];

  beforeAll(async () => {
    service = await startService(
      { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_ALLOW_ANY_PORT: 'true', LOG_LEVEL: 'trace' },
      { repeats: true },
    );
    receiver = await startReceiver(503);
    bank = await makePartner(service, { mode: 'sandbox' });
    insurer = await makePartner(service, { mode: 'sandbox', account_type: 'insurer' });
    agtech = await makePartner(service, { mode: 'sandbox', account_type: 'agtech' });
    partners = [bank, insurer, agtech];
    for (const { partner_id } of partners) await admin(service, 'PUT', `/partners/${partner_id}/optional-sections`, { sections: SECTIONS });
    for (const [rupa_id, canaries] of [
      ['rp-gone', gone],
      ['rp-stays', stays],
    ] as const) {
      await admin(service, 'PUT', `/farmers/${rupa_id}`, { mode: 'sandbox', ...canaries.record() });
      // Replaced values remain in the log and in the table's dead rows.
      await admin(service, 'PUT', `/farmers/${rupa_id}`, canaries.record());
    }
    for (const partner of partners) {
      await partner.call('POST', '/webhooks', { url: receiver.url });
      for (const rupa_id of ['rp-gone', 'rp-stays']) expect((await partner.lookup(rupa_id)).status).toBe(200);
    }
    await reports('rp-gone', gone);
    await reports('rp-stays', stays);
    await move();
    expect((await bank.call('POST', '/lookup', { rupa_id: 'rp-gone' }, KEY)).status).toBe(200);
    expect((await bank.call('POST', '/lookup', { rupa_id: 'rp-stays' }, KEY)).status).toBe(422);
    // The sample that PostgreSQL takes must contain what was reported.
    expect((await bank.call('GET', '/contributions')).status).toBe(200);
    await inDatabase('analyze');
    await inDatabase('checkpoint');
    await beginOlder();
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
  });

  const databaseUrl = async (): Promise<string> => (await findRunning(service.dataDir))?.databaseUrl ?? '';
  const inDatabase = async (statement: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: await databaseUrl() });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(statement).finally(() => client.end());
    return rows;
  };
  const report = async (partner: TestPartner, body: object): Promise<void> => {
    expect((await partner.call('POST', '/report', body)).status).toBe(200);
  };
  const reports = async (rupa_id: string, canaries: Canaries): Promise<void> => {
    const reportOf = (payload: object) => ({
      rupa_id,
      amount: canaries.amount(),
      partner_reference: canaries.word(),
      payload: { ...payload, note: canaries.word(), [canaries.word()]: canaries.amount() },
    });
    for (const event of ['loan_disbursed', 'loan_repayment', 'loan_defaulted'])
      await report(bank, { event, ...reportOf({ loan_reference: canaries.word() }) });
    for (const event of ['policy_issued', 'claim_filed', 'claim_settled'])
      await report(insurer, { event, ...reportOf({ expires_at: '2030-01-01' }) });
    for (const event of ['input_purchase', 'harvest_record'])
      await report(agtech, { event, ...reportOf({ item: canaries.word(), quantity: canaries.amount(), unit: canaries.word() }) });
  };
  /** Moves one contribution to the farmer who is erased later, and another one away from that farmer. */
  const move = async (): Promise<void> => {
    const about = (rupa_id: string, canaries: Canaries, partner_reference: string) => ({
      rupa_id,
      event: 'loan_disbursed',
      partner_reference,
      amount: canaries.amount(),
      payload: { note: canaries.word() },
    });
    await report(bank, about('rp-stays', stays, 'moved-there'));
    await report(bank, about('rp-gone', gone, 'moved-there'));
    await report(bank, about('rp-gone', gone, 'moved-away'));
    await report(bank, about('rp-stays', stays, 'moved-away'));
  };
  const beginOlder = async (): Promise<void> => {
    older = new pg.Client({ connectionString: await databaseUrl() });
    older.on('error', () => undefined);
    await older.connect();
    await older.query('begin');
    await older.query('select pg_current_xact_id()');
  };
  /** Resolves once the eraser has checked for older transactions so often that it must be waiting, or is done. */
  const eraserWaitsOrIsDone = async (): Promise<void> => {
    const checks = new Set<unknown>();
    await until(async () => {
      const [check] = await inDatabase(
        "select query_start::text as at from pg_stat_activity where query like 'select from pg_stat_activity%'",
      );
      if (check) checks.add(check.at);
      const [done] = await inDatabase(
        `select from ops.checkpoint where projection = 'erasures'
           and position >= (select position from read.erased_farmer where rupa_id = 'rp-gone')`,
      );
      return done !== undefined || checks.size > 8;
    });
  };
  /** Returns a partner's roster, and its events about the erased farmer. */
  const shownTo = async (partner: TestPartner) => {
    const { consents } = (await partner.call('GET', '/consents')).body.data as { consents: { rupa_id: string }[] };
    const { events } = (await partner.call('GET', '/events?rupa_id=rp-gone')).body.data as { events: { type: string }[] };
    return { consents, events };
  };
  const positionOfErasure = async (): Promise<unknown> =>
    (await inDatabase("select position from read.erased_farmer where rupa_id = 'rp-gone'"))[0]?.position;

  it('was in the database and its files before, but only encrypted in the files of the log', async () => {
    expect(await tablesHolding(await databaseUrl(), gone.texts)).toEqual(
      expect.arrayContaining(['read.contribution', 'read.farmer_profile', 'pg_catalog.pg_statistic', 'pg_catalog.pg_stats']),
    );
    expect(filesHolding(join(service.dataDir, 'postgres'), gone.bytes).length).toBeGreaterThan(3);
    expect(filesHolding(service.dataDir, gone.bytes).filter((file) => !file.includes('/postgres/'))).toStrictEqual([]);
  });

  it('is gone from every table once the erasure has responded, and a second erasure changes nothing', async () => {
    const { status, body } = await admin(service, 'DELETE', '/farmers/RP-Gone');
    expect([status, body]).toStrictEqual([200, { success: true, data: { rupa_id: 'rp-gone', erased: true } }]);
    const held = await tablesHolding(await databaseUrl(), gone.texts);
    expect(held.filter((table) => !table.startsWith('pg_catalog.'))).toStrictEqual([]);
    expect(await inDatabase("select count(*)::int as kept from ops.stored_response where rupa_id = 'rp-gone'")).toStrictEqual([
      { kept: 0 },
    ]);
    expect(
      await inDatabase("select wrapped, destroyed_at is not null as tombstone from key_store.data_key where rupa_id = 'rp-gone'"),
    ).toStrictEqual([{ wrapped: null, tombstone: true }]);
    const position = await positionOfErasure();
    const again = await admin(service, 'DELETE', '/farmers/rp-gone');
    expect([again.status, again.body]).toStrictEqual([status, body]);
    expect(await positionOfErasure()).toBe(position);
  });

  it('leaves bytes in the files only until the last older transaction has ended, even one that reads nothing', async () => {
    await eraserWaitsOrIsDone();
    expect(filesHolding(join(service.dataDir, 'postgres'), gone.bytes)).not.toStrictEqual([]);
    await older.end();
    await until(() => filesHolding(service.dataDir, gone.bytes).length === 0);
  });

  it('is unknown to all partners, and the id cannot be registered again', async () => {
    for (const partner of partners) {
      expect((await partner.lookup('rp-gone')).status).toBe(404);
      expect((await partner.call('POST', '/report', { rupa_id: 'rp-gone', event: 'loan_disbursed' })).status).toBe(
        partner === bank ? 404 : 422,
      );
    }
    expect((await bank.call('POST', '/lookup', { rupa_id: 'rp-gone' }, KEY)).status).toBe(404);
    expect(
      (await bank.call('POST', '/report', { rupa_id: 'rp-gone', event: 'loan_disbursed', partner_reference: 'moved-there' })).status,
    ).toBe(404);
    expect((await admin(service, 'GET', '/farmers/rp-gone')).status).toBe(404);
    expect((await admin(service, 'PUT', '/farmers/rp-gone', {})).status).toBe(409);
    expect((await fetch(`${service.url}/p/rp-gone`)).status).toBe(404);
    expect((await admin(service, 'DELETE', '/farmers/rp-never')).status).toBe(404);
    expect((await admin(service, 'DELETE', '/farmers/not_an_id')).status).toBe(422);
  });

  it('is on no roster, and remains as a pseudonym in wallets and in the event that tells partners of the erasure', async () => {
    for (const partner of partners) {
      const { consents, events } = await until(async () => {
        const found = await shownTo(partner);
        return found.events.length > 0 && found;
      });
      expect(consents.map(({ rupa_id }) => rupa_id)).toStrictEqual(['rp-stays']);
      expect(events.map(({ type }) => type)).toStrictEqual(['farmer.erased']);
    }
    const about = (await entriesOf(service, bank)) as unknown as { rupa_id: string | null }[];
    expect(about.filter(({ rupa_id }) => rupa_id === 'rp-gone').length).toBeGreaterThanOrEqual(3);
    expect((await admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`)).body.data.ok).toBe(true);
  });

  it('soon leaves no byte in the log’s files, the database’s files, its write-ahead log and the output', async () => {
    await until(() => filesHolding(service.dataDir, gone.bytes).length === 0);
    expect(await tablesHolding(await databaseUrl(), gone.texts)).toStrictEqual([]);
    expect(gone.texts.filter((text) => service.output().includes(text))).toStrictEqual([]);
    for (const { body } of receiver.received) expect(gone.texts.filter((text) => body.includes(text))).toStrictEqual([]);
  });

  it('does not affect other farmers', async () => {
    expect((await bank.lookup('rp-stays', { sections: ['outstanding_loans'] })).body.data.outstanding_loans).toMatchObject({
      partner_loans: [{}, {}],
    });
    expect(await tablesHolding(await databaseUrl(), stays.texts)).toEqual(
      expect.arrayContaining(['read.contribution', 'read.farmer_profile']),
    );
    expect(filesHolding(join(service.dataDir, 'postgres'), stays.bytes)).not.toStrictEqual([]);
  });

  it('leaves read models that equal those of a rebuild', async () => {
    const live = await Promise.all(partners.map(shownTo));
    const { code, out, err } = await rupa(service.dataDir, ['projections', 'verify', '--all']);
    expect([code, out, err]).toMatchObject([0, expect.anything(), expect.anything()]);
    expect((await rupa(service.dataDir, ['projections', 'rebuild', '--all'])).code).toBe(0);
    expect(await Promise.all(partners.map(shownTo))).toStrictEqual(live);
    expect(filesHolding(service.dataDir, gone.bytes)).toStrictEqual([]);
  });

  it('is erased again when an older database is restored', async () => {
    const [database, backup] = [join(service.dataDir, 'postgres'), join(service.dataDir, 'backup')];
    await service.interrupt();
    execFileSync('cp', ['-a', database, backup]);
    await service.restart();
    const { code, out } = await rupa(service.dataDir, ['farmers', 'erase', 'RP-stays']);
    expect([code, out]).toStrictEqual([0, 'rp-stays is erased\n']);
    await service.interrupt();
    execFileSync('rm', ['-rf', database]);
    execFileSync('mv', [backup, database]);
    expect(filesHolding(database, stays.bytes)).not.toStrictEqual([]);
    await service.restart();
    await until(async () => (await admin(service, 'GET', '/farmers/rp-stays')).status === 404);
    await until(() => filesHolding(service.dataDir, stays.bytes).length === 0);
    const keys = `select rupa_id, wrapped from key_store.data_key where rupa_id in ('rp-gone', 'rp-stays') order by rupa_id`;
    expect(await inDatabase(keys)).toStrictEqual([
      { rupa_id: 'rp-gone', wrapped: null },
      { rupa_id: 'rp-stays', wrapped: null },
    ]);
  });
});
