import { describe, expect, it } from '@jest/globals';
import {
  chooseStarts,
  type DueEndpoint,
  type InFlight,
  LANES,
  OVERRUNNING_MAX,
  OVERRUNNING_PER_PARTNER,
  PROMPT_MS,
  responsivenessAfter,
  type Responsiveness,
} from './fair-shares.js';

const DEGREES: readonly Responsiveness[] = ['responsive', 'untried', 'slow'];

/** Returns the due endpoints of partners p0, p1, …, with unique ids. */
function endpoints(partners: number, perPartner: number, responsiveness: Responsiveness, firstId = 1): DueEndpoint[] {
  return Array.from({ length: partners * perPartner }, (_, index) => ({
    endpointId: firstId + index,
    partnerId: `p${Math.floor(index / perPartner)}`,
    responsiveness,
    lastTurn: 0,
    partnerLastTurn: 0,
  }));
}

const due = (endpointId: number, partnerId: string, responsiveness: Responsiveness, turns: Partial<DueEndpoint> = {}): DueEndpoint => ({
  endpointId,
  partnerId,
  responsiveness,
  lastTurn: 0,
  partnerLastTurn: 0,
  ...turns,
});
const attempts = (count: number, attempt: InFlight): InFlight[] => Array.from({ length: count }, () => attempt);
const sum = (starts: ReadonlyMap<number, number>): number => [...starts.values()].reduce((total, count) => total + count, 0);

/** Returns the attempts that a choice starts. */
function begun(chosen: ReadonlyMap<number, number>, from: readonly DueEndpoint[]): InFlight[] {
  return from.flatMap(({ endpointId, partnerId, responsiveness }) =>
    attempts(chosen.get(endpointId) ?? 0, { endpointId, partnerId, lane: responsiveness }),
  );
}

describe.each(DEGREES)('chooseStarts, for %s endpoints,', (responsiveness) => {
  const { slots, perPartner, perEndpoint } = LANES[responsiveness];

  it('fills the lane and no more, however many are due', () => {
    const many = endpoints(50, 20, responsiveness);
    const chosen = chooseStarts(many, []);
    expect(sum(chosen)).toBe(slots);
    expect(chooseStarts(many, begun(chosen, many)).size).toBe(0);
  });

  it('gives no partner less because another has more endpoints', () => {
    const many = [...endpoints(1, 20, responsiveness), due(100, 'small', responsiveness), ...endpoints(60, 7, responsiveness, 200)];
    const started = Map.groupBy(begun(chooseStarts(many, []), many), ({ partnerId }) => partnerId);
    expect(started.get('small')?.length).toBeGreaterThanOrEqual(Math.min(perEndpoint, Math.floor(slots / started.size)));
    expect(Math.max(...[...started.values()].map(({ length }) => length))).toBeLessThanOrEqual(Math.ceil(slots / started.size));
  });

  it('starts no more for a partner or an endpoint than its share', () => {
    expect(sum(chooseStarts(endpoints(1, 100, responsiveness), []))).toBe(perPartner);
    expect(sum(chooseStarts(endpoints(1, 1, responsiveness), []))).toBe(perEndpoint);
  });

  it.each<[string, number, InFlight]>([
    ['of the endpoint', perEndpoint, { endpointId: 1, partnerId: 'p0', lane: responsiveness }],
    ['of the partner', perPartner, { endpointId: 2, partnerId: 'p0', lane: responsiveness }],
    ['of others', slots, { endpointId: 2, partnerId: 'p1', lane: responsiveness }],
  ])('counts the attempts in flight %s', (_, most, attempt) => {
    const endpoint = endpoints(1, 1, responsiveness);
    expect(sum(chooseStarts(endpoint, attempts(most, attempt)))).toBe(0);
    expect(sum(chooseStarts(endpoint, attempts(most - 1, attempt)))).toBe(1);
  });

  it('begins with the partner, and then with the endpoint, whose latest turn was the longest ago', () => {
    const busy = attempts(slots - 1, { endpointId: 99, partnerId: 'other', lane: responsiveness });
    const waiting = [
      due(1, 'a', responsiveness, { lastTurn: 1, partnerLastTurn: 7 }),
      due(2, 'b', responsiveness, { lastTurn: 5, partnerLastTurn: 5 }),
      due(3, 'b', responsiveness, { lastTurn: 4, partnerLastTurn: 5 }),
    ];
    expect([...chooseStarts(waiting, busy)]).toStrictEqual([[3, 1]]);
  });

  it('starts nothing of an endpoint of the other lanes in its slots', () => {
    const others = DEGREES.filter((other) => other !== responsiveness);
    const full = others.flatMap((lane) => attempts(LANES[lane].slots, { endpointId: 99, partnerId: 'other', lane }));
    const waiting = [...others.map((other, index) => due(1 + index, 'a', other)), due(9, 'a', responsiveness)];
    expect([...chooseStarts(waiting, full).keys()]).toStrictEqual([9]);
  });
});

describe('chooseStarts, while attempts overrun,', () => {
  const overrunning = (count: number, partnerId: string, endpointId = 99): InFlight[] =>
    attempts(count, { endpointId, partnerId, lane: 'overrunning' });

  it('uses the slots that they have given up', () => {
    expect(sum(chooseStarts(endpoints(50, 20, 'untried'), overrunning(LANES.untried.slots, 'other')))).toBe(LANES.untried.slots);
  });

  it('starts none of an endpoint that one of them belongs to, once it is slow', () => {
    expect(chooseStarts([due(1, 'a', 'slow')], overrunning(1, 'a', 1)).size).toBe(0);
  });

  it('starts only for partners with few of them when there are too many', () => {
    const many = overrunning(OVERRUNNING_MAX - OVERRUNNING_PER_PARTNER, 'a');
    const waiting = [due(1, 'a', 'responsive'), due(2, 'b', 'responsive'), due(3, 'c', 'untried'), due(4, 'a', 'slow')];
    const started = (inFlight: readonly InFlight[]): number[] => [...chooseStarts(waiting, inFlight).keys()].sort();
    expect(started([...many, ...overrunning(OVERRUNNING_PER_PARTNER - 1, 'b')])).toStrictEqual([1, 2, 3, 4]);
    expect(started([...many, ...overrunning(OVERRUNNING_PER_PARTNER, 'b')])).toStrictEqual([3, 4]);
  });
});

describe('the responsiveness of an endpoint', () => {
  it.each<[Responsiveness, string, Parameters<typeof responsivenessAfter>[1], Responsiveness]>([
    ...DEGREES.flatMap((before): [Responsiveness, string, Parameters<typeof responsivenessAfter>[1], Responsiveness][] => [
      [before, 'a delivery', { delivered: true, timedOut: false, durationMs: 20 }, 'responsive'],
      [before, 'a late delivery', { delivered: true, timedOut: false, durationMs: PROMPT_MS * 10 }, 'responsive'],
      [before, 'a late failure', { delivered: false, timedOut: false, durationMs: PROMPT_MS }, 'slow'],
      [before, 'a time-out', { delivered: false, timedOut: true, durationMs: 100 }, 'slow'],
    ]),
    ['responsive', 'a prompt failure', { delivered: false, timedOut: false, durationMs: 20 }, 'responsive'],
    ['untried', 'a prompt failure', { delivered: false, timedOut: false, durationMs: 20 }, 'untried'],
    ['slow', 'a prompt failure', { delivered: false, timedOut: false, durationMs: 20 }, 'untried'],
  ])('that was %s is, after %s, %j: %s', (before, _, attempt, after) => {
    expect(responsivenessAfter(before, attempt)).toBe(after);
  });
});

const STEP_MS = 100;
const TIME_LIMIT_MS = 15_000;

/**
 * Simulates a minute in steps of 100 ms: the endpoints of `partners` partners never respond, one endpoint of
 * `goodPartner` responds within a step. Returns the longest time, in steps, for which no due delivery of the good endpoint was started.
 */
function longestWait(partners: number, responsiveness: Responsiveness, goodPartner: string): number {
  const dead = endpoints(partners, 20, responsiveness);
  const good = due(100_000, goodPartner, 'untried');
  const known = new Map<number, Responsiveness>();
  const turns = new Map<string, number>();
  let inFlight: (InFlight & { readonly since: number })[] = [];
  let [waited, longest] = [0, 0];
  for (let now = 0; now < 60_000; now += STEP_MS) {
    for (const { endpointId, since } of inFlight) {
      if (endpointId === good.endpointId) known.set(endpointId, 'responsive');
      else if (now - since >= PROMPT_MS) known.set(endpointId, 'slow');
    }
    inFlight = inFlight
      .filter(({ endpointId, since }) => endpointId !== good.endpointId && now - since < TIME_LIMIT_MS)
      .map((attempt) => (attempt.lane !== 'slow' && now - attempt.since >= PROMPT_MS ? { ...attempt, lane: 'overrunning' } : attempt));
    const waiting = [...dead, good].map((endpoint) => {
      const current = known.get(endpoint.endpointId) ?? endpoint.responsiveness;
      const lastTurn = turns.get(String(endpoint.endpointId)) ?? 0;
      return { ...endpoint, responsiveness: current, lastTurn, partnerLastTurn: turns.get(`${current} ${endpoint.partnerId}`) ?? 0 };
    });
    const started = begun(chooseStarts(waiting, inFlight), waiting);
    for (const { endpointId, partnerId, lane } of started) turns.set(String(endpointId), now + 1).set(`${lane} ${partnerId}`, now + 1);
    inFlight.push(...started.map((attempt) => ({ ...attempt, since: now })));
    waited = started.some(({ endpointId }) => endpointId === good.endpointId) ? 0 : waited + 1;
    longest = Math.max(longest, waited);
  }
  return longest;
}

describe('an endpoint that responds', () => {
  it.each<[number, Responsiveness]>([
    [1, 'untried'],
    [50, 'untried'],
    [1, 'responsive'],
    [50, 'responsive'],
    [1, 'slow'],
    [50, 'slow'],
  ])('waits no longer than a prompt response may take while the endpoints of %i partners, %s before, hang', (partners, known) => {
    expect(longestWait(partners, known, 'another')).toBeLessThanOrEqual(PROMPT_MS / STEP_MS);
  });

  it.each<Responsiveness>(['untried', 'responsive', 'slow'])(
    'waits a few seconds at most while the others of its partner, %s before, hang',
    (known) => {
      expect(longestWait(1, known, 'p0')).toBeLessThanOrEqual((3 * PROMPT_MS) / STEP_MS);
    },
  );
});
