import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { SHORT_STREAM } from '../../src/platform/event-sourcing/stream-kind.js';
import { type Dated, type Decider, Rejection } from '../../src/platform/event-sourcing/decider.js';
import { StreamWriter, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { type ContributionEvent } from '../../src/contexts/reports/domain/events.js';
import { CONTRIBUTION_STREAMS, type Report } from '../../src/contexts/reports/domain/contribution.js';
import { ANY_STREAM, startStack, type Stack } from '../support/stack.js';
import { FARMER_STREAMS } from '../../src/contexts/farmers/domain/farmer.js';

const at = '2026-11-21T10:00:00.000Z';

function report(contribution_id: number, amount_minor: number): Report {
  const contribution = {
    contribution_id,
    partner_id: 'p1',
    account_type: 'bank',
    rupa_id: 'rp-1',
    event: 'loan_disbursed',
    currency: 'NGN',
    amount_minor,
    partner_reference: 'r',
    payload: null,
  } as const;
  return { contribution, is_about_test_farmer: false, test_run: 0, occurred_at: at, at, actor: 'test' };
}

describe('a stream that is usually new', () => {
  let stack: Stack;
  let writer: WriterOf<typeof CONTRIBUTION_STREAMS>;
  let reads = 0;
  let name = '';

  beforeAll(async () => {
    stack = await startStack(ANY_STREAM);
    writer = new StreamWriter(stack.eventStore, stack.codec, CONTRIBUTION_STREAMS);
    await new StreamWriter(stack.eventStore, stack.codec, FARMER_STREAMS).execute('rp-1', {
      kind: 'put',
      rupa_id: 'rp-1',
      mode: 'live',
      record: {},
      at,
      actor: 'test',
    });
    const read = stack.eventStore.readStream.bind(stack.eventStore);
    stack.eventStore.readStream = (...args) => {
      reads += 1;
      return read(...args);
    };
  });
  beforeEach(() => {
    name = randomUUID();
    reads = 0;
  });
  afterAll(() => stack.close());

  const types = async (): Promise<string[]> => (await stack.eventStore.readStream(`contribution-${name}`)).map(({ type }) => type);

  it('is not read when it is new', async () => {
    const { events } = await writer.execute(name, report(1, 10));
    expect(events).toHaveLength(1);
    expect(reads).toBe(0);
  });

  it('is read when it exists, and the command is decided on its state', async () => {
    await writer.execute(name, report(1, 10));
    const { events, state } = await writer.execute(name, report(2, 20));
    expect(events.map(({ type }) => type)).toStrictEqual(['ContributionUpdated']);
    expect(state).toMatchObject({ contribution: { contribution_id: 1, amount_minor: 20 } });
    expect(await types()).toStrictEqual(['ContributionRecorded', 'ContributionUpdated']);
  });

  it('is not changed by a command whose outcome it already holds', async () => {
    await writer.execute(name, report(1, 10));
    const { events, state, position } = await writer.execute(name, report(2, 10));
    expect([events, position]).toStrictEqual([[], undefined]);
    expect(state).toMatchObject({ contribution: { contribution_id: 1 } });
    expect(await types()).toStrictEqual(['ContributionRecorded']);
  });

  it('is started once by concurrent writers', async () => {
    const other = new StreamWriter(stack.eventStore, stack.codec, CONTRIBUTION_STREAMS);
    const committed = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? writer : other).execute(name, report(n, n))));
    expect(new Set(committed.map(({ state }) => state.status === 'reported' && state.contribution.contribution_id)).size).toBe(1);
    expect((await types()).filter((type) => type === 'ContributionRecorded')).toHaveLength(1);
  });

  it('is read when the farmer was erased meanwhile, and the command is decided on that', async () => {
    const rupa_id = `rp-${name}`;
    const farmers = new StreamWriter(stack.eventStore, stack.codec, FARMER_STREAMS);
    const put = { kind: 'put' as const, rupa_id, mode: 'live' as const, record: {}, at, actor: 'test' };
    await farmers.execute(rupa_id, put);
    await farmers.execute(rupa_id, { kind: 'erase', rupa_id, at, actor: 'test' });
    await stack.codec.decode(await stack.eventStore.readStream(`farmer-${rupa_id}`));
    await expect(farmers.execute(rupa_id, put, { isFirst: true })).rejects.toMatchObject({ code: 'farmer_erased' });
    expect((await stack.eventStore.readStream(`farmer-${rupa_id}`)).map(({ type }) => type)).toStrictEqual([
      'FarmerRegistered',
      'FarmerErased',
    ]);
  });

  it('is read before a command is rejected or has no effect', async () => {
    const unlessThere: Decider<boolean, Dated & { readonly kind: 'begin' | 'refuse' | 'nothing' }, ContributionEvent> = {
      initialState: false,
      decide: ({ kind }, there) => {
        if (kind === 'begin')
          return [
            { type: 'ContributionRecorded', data: { ...report(1, 1).contribution, occurred_at: at, recorded_at: at, actor: 'test' } },
          ];
        if (kind === 'refuse' && !there) throw new Rejection('farmer_unknown');
        return [];
      },
      evolve: () => true,
    };
    const guessing = new StreamWriter(stack.eventStore, stack.codec, {
      ...SHORT_STREAM,
      category: 'contribution',
      usuallyNew: true,
      decider: unlessThere,
    });
    await expect(guessing.execute(name, { kind: 'refuse', at })).rejects.toThrow(Rejection);
    expect((await guessing.execute(name, { kind: 'nothing', at })).state).toBe(false);
    await guessing.execute(name, { kind: 'begin', at });
    expect((await guessing.execute(name, { kind: 'refuse', at })).state).toBe(true);
    expect((await guessing.execute(name, { kind: 'nothing', at })).state).toBe(true);
  });
});
