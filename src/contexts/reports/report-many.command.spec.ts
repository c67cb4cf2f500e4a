import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ApiError } from '../../http/errors/api-error.js';
import { ErrorResponses } from '../../http/errors/error-responses.js';
import { type Clock } from '../../kernel/clock.js';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { EventSetAside } from '../../platform/event-sourcing/coding/unusable-event.js';
import { type Streams } from '../../platform/event-sourcing/writing/stream-writer.js';
import { type Ids } from '../../platform/ids/ids.js';
import { type ReadYourWrites } from '../../platform/projecting/in-memory/read-your-writes.js';
import { type FarmerFinder } from '../farmers/public.js';
import { contributionDecider, type ContributionState, type Report } from './domain/contribution.js';
import { type ContributionEvent } from './domain/events.js';
import { ReportMany, ReportManyHandler } from './report-many.command.js';
import { type ListedReport } from './report.dto.js';
import { ReportRecorder } from './report-recorder.js';
import { type ReferenceHash } from './reference-hash.js';

const PARTNER = { partner_id: 'p1', key_id: 'k1', account_type: 'bank', mode: 'live', test_run: 0 } as const;
const CLOCK = { iso: () => '2026-03-09T00:00:00.000Z', now: () => new Date('2026-03-09T00:00:00.000Z') } as Clock;
const repayment = (more: object = {}): object => ({ rupa_id: 'rp-1', event: 'loan_repayment', ...more });

/** The streams of contributions in memory, with a handler that records in them. The farmer rp-nobody does not exist. */
function world(append: (appended: number) => void = () => undefined) {
  const states = new Map<string, ContributionState>();
  const events: ContributionEvent[] = [];
  const unusable = new Set<string>();
  let [lastId, appended] = [0, 0];
  const stream = {
    execute: async (id: string, command: Report) => {
      await Promise.resolve();
      const state = states.get(id) ?? contributionDecider.initialState;
      const decided = contributionDecider.decide(command, state);
      append((appended += 1));
      const after = decided.reduce<ContributionState>(
        (before, event) => contributionDecider.evolve(before, { ...event, revision: 0n }),
        state,
      );
      states.set(id, after);
      events.push(...decided);
      return { events: decided, state: after, position: 1n };
    },
  };
  const farmers = {
    find: (id: string) => {
      if (unusable.has(id)) return Promise.reject(new EventSetAside({ category: 'farmer', position: '7' }, 'this call'));
      return Promise.resolve(id === 'rp-nobody' ? undefined : { mode: 'live', is_test: false });
    },
  };
  const recorder = new ReportRecorder(
    { of: () => stream } as unknown as Streams,
    { of: (_partner: string, reference: string) => `hash of ${reference}` } as unknown as ReferenceHash,
    { next: () => Promise.resolve((lastId += 1)) } as unknown as Ids,
    farmers as unknown as FarmerFinder,
    CLOCK,
    { admit: () => undefined, confirm: () => Promise.resolve() } as unknown as ReadYourWrites,
  );
  const responses = new ErrorResponses([{ farmer_unknown: { code: 'farmer_not_found' } }]);
  const handler = new ReportManyHandler(recorder, responses, CLOCK);
  const run = (items: readonly unknown[], operationId = 'o1'): Promise<readonly ListedReport[]> =>
    handler.execute(new ReportMany(PARTNER, items, operationId));
  return { run, events, states, unusable };
}

const outcomes = (results: readonly ListedReport[]): string[] => results.map(({ index, outcome, code }) => `${index} ${code ?? outcome}`);

describe('a list of reports', () => {
  it('records each report, and refuses a bad one alone', async () => {
    const { run, events } = world();
    const bad = [
      null,
      7,
      [],
      repayment({ amout: 5 }),
      repayment({ amount: 'five' }),
      repayment({ rupa_id: 'rp-nobody' }),
      repayment({ payload: { a: '\0' } }),
    ];
    const results = await run([repayment({ amount: 1 }), ...bad, repayment({ amount: 2 })]);
    expect(outcomes(results)).toStrictEqual([
      '0 created',
      ...[1, 2, 3, 4, 5].map((index) => `${index} validation_failed`),
      '6 farmer_not_found',
      '7 validation_failed',
      '8 created',
    ]);
    expect(results.slice(1, 5).map(({ errors }) => errors)).toStrictEqual([
      { 'reports.1': ['The reports.1 field must be an object.'] },
      { 'reports.2': ['The reports.2 field must be an object.'] },
      { 'reports.3': ['The reports.3 field must be an object.'] },
      { amout: ['The amout field is not known. Did you mean amount?'] },
    ]);
    expect(events.map(({ data }) => data.amount_minor)).toStrictEqual([100, 200]);
  });

  it('applies reports with one reference in their order', async () => {
    const { run, states } = world();
    const items = Array.from({ length: 60 }, (_, index) =>
      repayment({ amount: index, partner_reference: index % 2 === 0 ? 'even' : 'odd' }),
    );
    const results = await run(items);
    expect(results.map(({ outcome }) => outcome)).toStrictEqual(['created', 'created', ...Array.from({ length: 58 }, () => 'updated')]);
    expect(new Set(results.map(({ contribution_id }) => contribution_id)).size).toBe(2);
    const amounts = [...states.values()].map((state) => state.status === 'reported' && state.contribution.amount_minor);
    expect(amounts.toSorted()).toStrictEqual([5_800, 5_900]);
  });

  it('refuses a report about a record that an operator must repair, and records the others', async () => {
    const { run, unusable } = world();
    unusable.add('rp-2');
    expect(outcomes(await run([repayment({ rupa_id: 'rp-2' }), repayment()]))).toStrictEqual(['0 unavailable', '1 created']);
  });

  it('names what is recorded when the event store fails, and records nothing twice when it runs again with its operation id', async () => {
    const item = fc.record({ amount: fc.nat({ max: 5 }), partner_reference: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(item, { minLength: 1, maxLength: 100 }),
        fc.nat({ max: 100 }),
        fc.boolean(),
        async (items, at, isStored) => {
          const sent = items.map((each) => repayment(each));
          const untouched = world();
          await untouched.run(sent);
          let failsAt = at + 1;
          const { run, events, states } = world((appended) => {
            if (appended >= failsAt) throw new StoreUnavailable('The event store is away.');
          });
          if (at < items.length) {
            const error = await run(sent).catch((reason: unknown) => reason);
            expect(error).toMatchObject({ code: 'unavailable', data: { results: expect.any(Array) } });
            const { results } = (error as ApiError).data as { results: ListedReport[] };
            expect(results).toHaveLength(at);
          }
          failsAt = Infinity;
          const results = await run(sent);
          if (isStored) expect(await run(sent)).toHaveLength(results.length);
          expect(results.map(({ index }) => index)).toStrictEqual(sent.map((_, index) => index));
          const recorded = (of: ReadonlyMap<string, ContributionState>) =>
            [...of].map(([id, state]) => [id, state.status === 'reported' && state.contribution.amount_minor]).toSorted();
          expect(recorded(states)).toStrictEqual(recorded(untouched.states));
          const alone = items.filter(({ partner_reference }) => partner_reference === undefined).length;
          expect(events.filter(({ type, data }) => type === 'ContributionRecorded' && data.partner_reference === null)).toHaveLength(alone);
        },
      ),
    );
  });
});
