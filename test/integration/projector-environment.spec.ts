import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

/** Errors with which PostgreSQL reports on the environment of a statement, made to happen to the rows of one event. */
const STATES = ['08006', '22P05', '26000', '28000', '40001', '42501', '42P05', '53100', '53200', '55P03', '57014', '57P03', '58030'];

describe('a projector whose rows PostgreSQL refuses because of its environment', () => {
  let stack: Stack;
  let stopped = false;
  let attempts = 0;

  beforeAll(async () => {
    stack = await startStack();
    const first = stack.project([partnerProjection]);
    await first.prepared;
    await first.stop();
    await stack.pool.query(`create function raise_state() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = tg_argv[0]; end $$`);
    void follow();
  });
  afterAll(async () => {
    stopped = true;
    await stack.close();
  });

  /** Runs the projector as an instance does: it resumes at the checkpoints each time it ends. */
  async function follow(): Promise<void> {
    while (!stopped) {
      await stack.project([partnerProjection]).ended;
      attempts += 1;
    }
  }

  async function register(): Promise<string> {
    const partner_id = randomUUID();
    await new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS).execute(partner_id, {
      kind: 'register',
      partner_id,
      company_name: 'A',
      account_type: 'bank',
      mode: 'live',
      at: '2026-11-21T10:00:00.000Z',
      actor: 'test',
    });
    return partner_id;
  }

  it.each(STATES)('shows the event once the state %s has passed, and marks no fault', async (state) => {
    await stack.pool.query(`create trigger refuse before insert on read.partner for each row execute function raise_state('${state}')`);
    const partnerId = await register();
    const before = attempts;
    await until(() => attempts >= before + 2);
    expect((await stack.pool.query('select fault from ops.checkpoint')).rows).toStrictEqual([{ fault: null }]);
    await stack.pool.query('drop trigger refuse on read.partner');
    await until(async () => (await stack.pool.query('select from read.partner where partner_id = $1', [partnerId])).rowCount === 1);
  });
});
