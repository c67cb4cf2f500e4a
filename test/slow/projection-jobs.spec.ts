import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Job {
  readonly job_id: number;
  readonly state: string;
  readonly done: number;
  readonly total: number | null;
  readonly error: string | null;
  readonly differences: number | null;
  readonly differing_rows: readonly unknown[] | null;
}

describe('a job on a read model', () => {
  let service: TestService;
  let partner: TestPartner;
  let db: pg.Client;

  beforeAll(async () => {
    service = await startApplication({}, { repeats: false });
    partner = await makePartner(service);
    db = new pg.Client(service.stores.DATABASE_URL);
    await db.connect();
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
    expect((await whenServed(() => partner.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
  });
  afterAll(async () => {
    await db.end();
    await service.stop();
  });

  const request = async (name: string, action: string): Promise<ApiResponse> =>
    await admin(service, 'POST', `/projections/${name}/${action}`);
  const shown = async (jobId: number): Promise<Job> =>
    (await admin(service, 'GET', `/projections/jobs/${jobId}`)).body.data as unknown as Job;
  async function ended(name: string, action: string, projection = name): Promise<Job> {
    const { status, body } = await request(name, action);
    const { job_id } = body.data as unknown as Job;
    expect([status, body.data]).toMatchObject([202, { projection, action, state: 'queued', differences: null, error: null }]);
    return await until(async () => {
      const job = await shown(job_id);
      return (job.state === 'done' || job.state === 'failed') && job;
    });
  }

  it('rebuilds while partners go on to look up and to read', async () => {
    const reader = { goesOn: true };
    const reading = (async (): Promise<number> => {
      let times = 0;
      for (; reader.goesOn; times += 1) {
        expect((await partner.lookup('rp-1', { sections: ['identity'] })).status).toBe(200);
        expect((await partner.call('GET', '/wallet/entries')).status).toBe(200);
      }
      return times;
    })();
    const job = await ended('wallet_entry', 'rebuild').finally(() => (reader.goesOn = false));
    expect(await reading).toBeGreaterThan(0);
    expect(job).toMatchObject({ state: 'done', seconds_left: 0, differences: null, error: null });
    expect([job.done > 0, job.total]).toStrictEqual([true, job.done]);
    expect(await ended('wallet_entry', 'verify')).toMatchObject({ state: 'done', differences: 0 });
  });

  it('finds a row that was tampered with, and a rebuild repairs it', async () => {
    await db.query("update read.wallet_entry set reference = 'forged' where reference = 'opening'");
    const job = await ended('wallet_entry', 'verify');
    const differing_rows = [{ table: 'wallet_entry', key: `["${partner.partner_id}", 0]`, kind: 'different', columns: ['reference'] }];
    expect(job).toMatchObject({ state: 'done', differences: 1, differing_rows, error: null });
    expect(JSON.stringify(job)).not.toContain('forged');
    const printed = await rupa(service.dataDir, ['projections', 'job', String(job.job_id), '--json'], '', service.stores);
    expect([printed.code, JSON.parse(printed.out)]).toStrictEqual([1, job]);
    const { err } = await rupa(service.dataDir, ['projections', 'job', String(job.job_id)], '', service.stores);
    expect(err).toContain(`wallet_entry ["${partner.partner_id}", 0]: differs in reference`);
    expect(await ended('wallet_entry', 'rebuild')).toMatchObject({ state: 'done' });
    expect(await ended('wallet_entry', 'verify')).toMatchObject({ differences: 0, differing_rows: [] });
  });

  it('names a bounded number of rows, each as missing, unexpected or different, and no value', async () => {
    await db.query(`insert into read.farmer_profile select (jsonb_populate_record(f, jsonb_build_object('rupa_id', 'rp-extra-' || n))).*
      from read.farmer_profile f, generate_series(1000, 1119) n where f.rupa_id = 'rp-1'`);
    await db.query("delete from read.farmer_profile where rupa_id = 'rp-1'");
    const { differing_rows: rows, ...job } = await ended('farmer_profile', 'verify');
    expect([job.differences, rows?.length]).toStrictEqual([121, 100]);
    expect(rows?.[0]).toStrictEqual({ table: 'farmer_profile', key: '["rp-1"]', kind: 'missing', columns: [] });
    expect(rows?.at(-1)).toStrictEqual({ table: 'farmer_profile', key: '["rp-extra-1098"]', kind: 'unexpected', columns: [] });
    expect(JSON.stringify(rows)).not.toContain('Aisha');
    expect(await ended('farmer_profile', 'rebuild')).toMatchObject({ state: 'done', differing_rows: null });
  });

  it('names the rows of a derived table, and takes its name for the read model', async () => {
    await db.query(
      "insert into read.farmer_reports (subject, reports, outstanding_kobo, loans, repayments, policies, harvests, input_purchases) values ('rp-9', 1, 0, '[]', '[]', '{}', '[]', '[]')",
    );
    const differing_rows = [{ table: 'farmer_reports', key: '["rp-9"]', kind: 'unexpected', columns: [] }];
    expect(await ended('farmer_reports', 'verify', 'contribution')).toMatchObject({ differences: 1, differing_rows });
    expect(await ended('farmer_reports', 'rebuild', 'contribution')).toMatchObject({ state: 'done' });
    expect(await ended('contribution', 'verify')).toMatchObject({ differences: 0 });
  });

  it('makes a faulted read model resume', async () => {
    // The projector tries the event of a fault again after half a minute, and would end a fault whose event it can apply. This one names none.
    await db.query("update ops.checkpoint set fault = 'no such crop' where projection = 'price_book'");
    const status = async (): Promise<unknown> =>
      ((await admin(service, 'GET', '/projections')).body.data.projections as { name: string; status: string }[]).find(
        ({ name }) => name === 'price_book',
      )?.status;
    expect(await status()).toBe('faulted');
    expect(await ended('price_book', 'verify')).toMatchObject({ state: 'failed', error: expect.stringContaining('faulted') });
    expect(await ended('price_book', 'retry')).toMatchObject({ state: 'done', differences: null, error: null });
    expect(await status()).toBe('live');
  });

  it('is one of two that are requested simultaneously, and the other response names it', async () => {
    const [accepted, refused] = await until(async () => {
      const responses = await Promise.all([request('partner', 'verify'), request('partner', 'rebuild')]);
      const jobs = responses.filter(({ status }) => status === 202).map(({ body }) => body.data as unknown as Job);
      for (const { job_id } of jobs) await until(async () => (await shown(job_id)).state === 'done');
      // On a busy machine, one job may have ended before the other request arrives.
      return jobs.length < responses.length && responses.toSorted((one, other) => one.status - other.status);
    });
    expect([accepted?.status, refused?.status, refused?.body]).toMatchObject([202, 409, { code: 'conflict' }]);
    expect(refused?.body.message).toContain(`Job ${(accepted?.body.data as unknown as Job).job_id} (`);
  });

  it('is not found under another id, and not queued for a read model that does not exist', async () => {
    for (const id of ['99999', '0', 'x', '1'.repeat(40)])
      expect(await admin(service, 'GET', `/projections/jobs/${id}`)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
    for (const action of ['rebuild', 'retry', 'verify'])
      expect(await request('no_such_model', action)).toMatchObject({ status: 404, body: { code: 'projection_not_found' } });
  });

  it('is shown to an auditor, who may request one that changes nothing', async () => {
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    for (const action of ['rebuild', 'retry'])
      expect(await call(service, 'POST', `/admin/v1/projections/partner/${action}`, { headers })).toMatchObject({
        status: 403,
        body: { code: 'role_not_allowed' },
      });
    const requested = await call(service, 'POST', '/admin/v1/projections/partner/verify', { headers });
    expect(requested.status).toBe(202);
    const { job_id } = requested.body.data as unknown as Job;
    await until(async () => (await shown(job_id)).state === 'done');
    expect(await call(service, 'GET', `/admin/v1/projections/jobs/${job_id}`, { headers })).toMatchObject({ status: 200 });
  });

  it('is recorded in the audit trail with its outcome', async () => {
    // Without the action, the many calls that ask for the state of a job would be listed instead.
    for (const [action, ...statuses] of [['verify', 202, 404] as const, ['rebuild', 202, 403, 404] as const]) {
      const query = new URLSearchParams({ action: `POST /admin/v1/projections/:name/${action}`, limit: '200' });
      await until(async () => {
        const { entries } = (await admin(service, 'GET', `/audit-trail?${query.toString()}`)).body.data as {
          entries: { status: number }[];
        };
        return statuses.every((status) => entries.some((entry) => entry.status === status));
      });
    }
  });
});
