import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { apiKeyProjection } from '../../projections/api-key/api-key.projection.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { ProjectionJobRunner } from '../../src/contexts/rebuilding/projection-job-runner.js';
import { ProjectionJobs } from '../../src/contexts/rebuilding/projection-jobs.js';
import { type JobAction, type ProjectionJob } from '../../src/contexts/rebuilding/projections.dto.js';
import { LOCKS } from '../../src/platform/database/instances/locks.js';
import { withClient } from '../../src/platform/database/pool.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

const HOLDER = randomUUID();
const NAME = partnerProjection.name;

describe('the jobs on read models', () => {
  let stack: Stack;
  let jobs: ProjectionJobs;

  beforeAll(async () => {
    stack = await startStack();
    jobs = new ProjectionJobs(stack.pool);
    await stack.project([partnerProjection]).prepared;
    await register();
  });
  afterAll(() => stack.close());
  beforeEach(() => stack.pool.query('delete from ops.projection_job'));

  async function register(): Promise<void> {
    const partner_id = randomUUID();
    const at = '2026-11-21T10:00:00.000Z';
    const command = { kind: 'register', partner_id, company_name: 'A', account_type: 'bank', mode: 'live', at, actor: 'test' } as const;
    await new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS).execute(partner_id, command);
  }
  const queued = async (action: JobAction = 'verify', projection: string = NAME): Promise<number> =>
    (await jobs.queue({ projection, action })).job.job_id;
  const shown = async (jobId: number): Promise<ProjectionJob> => {
    const job = await jobs.find(jobId);
    if (!job) throw new Error('There is no such job.');
    return job;
  };
  const claim = () => jobs.claim(HOLDER, ['rebuild', 'retry', 'verify'], [NAME]);
  const expireLease = (jobId: number) =>
    stack.pool.query("update ops.projection_job set leased_until = now() - interval '1 second' where job_id = $1", [jobId]);
  async function oldJob(): Promise<number> {
    const jobId = await queued('verify', 'no_longer_there');
    await stack.pool.query("update ops.projection_job set state = 'done', queued_at = now() - interval '31 days' where job_id = $1", [
      jobId,
    ]);
    return jobId;
  }
  const ended = async (jobId: number): Promise<ProjectionJob> =>
    await until(async () => {
      const job = await shown(jobId);
      return (job.state === 'done' || job.state === 'failed') && job;
    });

  function run(): { stop: () => Promise<void> } {
    const {
      pool,
      eventStore,
      codec,
      parts: { macs },
    } = stack;
    const stopping = new AbortController();
    const parts = { pool, eventStore, codec, macs, projections: [partnerProjection, apiKeyProjection], logger: pino({ enabled: false }) };
    const running = new ProjectionJobRunner(parts).run(stopping.signal);
    return {
      stop: async () => {
        stopping.abort();
        await running;
      },
    };
  }

  it('are one at a time for a read model, also when they are requested simultaneously', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => jobs.queue({ projection: NAME, action: 'rebuild' })));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ job }) => job.job_id)).size).toBe(1);
    expect((await jobs.queue({ projection: 'wallet_entry', action: 'rebuild' })).created).toBe(true);
  });

  it('are claimed by one process, oldest first, and only for read models and actions that it knows', async () => {
    await queued('rebuild', 'of_a_newer_release');
    const jobId = await queued('retry');
    expect(await jobs.claim(HOLDER, ['rebuild', 'verify'], [NAME])).toBeUndefined();
    const claims = await Promise.all([claim(), claim(), claim()]);
    expect(claims.filter(Boolean)).toStrictEqual([{ job_id: jobId, projection: NAME, action: 'retry' }]);
    expect(await shown(jobId)).toMatchObject({ state: 'running', error: null });
  });

  it('show the progress of the process that holds the lease, and of no other', async () => {
    const jobId = await queued();
    await claim();
    const progress = { done: 10, total: 40, rate: 5, seconds_left: 6 };
    expect(await jobs.renew(jobId, randomUUID(), { ...progress, done: 11 })).toBe(false);
    expect(await jobs.renew(jobId, HOLDER, progress)).toBe(true);
    expect(await shown(jobId)).toMatchObject({ state: 'running', ...progress });
  });

  it('are failed once the lease of a process that died has run out, and can then be started again', async () => {
    const jobId = await queued();
    await claim();
    await expireLease(jobId);
    const failed = { state: 'failed', seconds_left: null, error: expect.stringContaining('has ended or hangs') };
    expect(await shown(jobId)).toMatchObject(failed);
    expect(await jobs.renew(jobId, HOLDER, { done: 1, total: 1, rate: 1, seconds_left: 0 })).toBe(false);
    await jobs.end(jobId, HOLDER, { state: 'done', differences: 0, differing_rows: [] }, { done: 1, total: 1, rate: 1, seconds_left: 0 });
    expect(await shown(jobId)).toMatchObject(failed);
    const next = await jobs.queue({ projection: NAME, action: 'verify' });
    expect([next.created, next.job.job_id > jobId]).toStrictEqual([true, true]);
    expect(await shown(jobId)).toMatchObject(failed);
  });

  it('wait while another process rebuilds, and then run to their end', async () => {
    const runner = run();
    try {
      const jobId = await withClient(stack.pool, async (client) => {
        await client.query('select pg_advisory_lock($1)', [LOCKS.rebuild]);
        const waiting = await queued('rebuild');
        expect(await ended(await queued('retry', apiKeyProjection.name))).toMatchObject({ state: 'done' });
        expect(await shown(waiting)).toMatchObject({ state: 'queued' });
        await client.query('select pg_advisory_unlock($1)', [LOCKS.rebuild]);
        return waiting;
      });
      expect(await ended(jobId)).toMatchObject({ state: 'done', done: 1, total: 1, seconds_left: 0, differences: null, error: null });
    } finally {
      await runner.stop();
    }
  });

  it('fail as stopped when the process shuts down, and leave no shadow table', async () => {
    // A checkpoint that the live table never reaches keeps the verification waiting.
    await stack.pool.query('update ops.checkpoint set position = null where projection = $1', [NAME]);
    const runner = run();
    const jobId = await queued('verify');
    await until(async () => (await shown(jobId)).state === 'running');
    await runner.stop();
    expect(await shown(jobId)).toMatchObject({ state: 'failed', error: expect.stringMatching(/^Stopped: .*Start the job again\.$/) });
    expect((await stack.pool.query("select from pg_namespace where nspname like 'rebuild%'")).rowCount).toBe(0);
  });

  it('are left to the processes of a newer release once that has built the read models', async () => {
    await stack.pool.query('update ops.checkpoint set version = version + 1 where projection = $1', [NAME]);
    const jobId = await queued('rebuild');
    const old = await oldJob();
    const runner = run();
    // The runner deletes old jobs after it has looked for queued ones.
    await until(async () => (await jobs.find(old)) === undefined);
    await runner.stop();
    expect(await shown(jobId)).toMatchObject({ state: 'queued' });
    await stack.pool.query('update ops.checkpoint set version = version - 1 where projection = $1', [NAME]);
  });

  it('are deleted 30 days after they were requested, but for those that still wait', async () => {
    const [old, waiting, fresh] = [await oldJob(), await queued('verify', 'b'), await queued('verify', 'c')];
    await stack.pool.query("update ops.projection_job set state = 'done' where job_id = $1", [fresh]);
    await stack.pool.query("update ops.projection_job set queued_at = now() - interval '31 days' where job_id = $1", [waiting]);
    const runner = run();
    await until(async () => (await jobs.find(old)) === undefined);
    await runner.stop();
    expect([(await shown(waiting)).state, (await shown(fresh)).state]).toStrictEqual(['queued', 'done']);
  });
});
