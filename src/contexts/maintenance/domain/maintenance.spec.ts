import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type MaintenanceEvent } from './events.js';
import { isInForce, type Maintenance, maintenanceDecider } from './maintenance.js';

const at = '2026-03-01T10:00:00.000Z';
const until = '2026-03-01T12:00:00.000Z';
const afterwards = '2026-03-01T12:00:00.001Z';
const by = { recorded_at: at, actor: 'admin' };
const begin = { kind: 'begin' as const, reason: 'a new event store', until, at, actor: 'admin' };
const end = { kind: 'end' as const, at, actor: 'admin' };
const begun: MaintenanceEvent = { type: 'MaintenanceBegun', data: { reason: 'a new event store', until, ...by } };
const begunOpenEnded: MaintenanceEvent = { type: 'MaintenanceBegun', data: { reason: 'a new event store', ...by } };
const ended: MaintenanceEvent = { type: 'MaintenanceEnded', data: by };

function stateAfter(...events: readonly MaintenanceEvent[]): Maintenance | null {
  return events.reduce<Maintenance | null>(
    (state, event, index) => maintenanceDecider.evolve(state, { ...event, revision: BigInt(index) }),
    null,
  );
}

describe('beginning maintenance', () => {
  it('records the reason and the end once', () => {
    given(maintenanceDecider, []).when(begin).then([begun]);
    given(maintenanceDecider, [begun]).when(begin).thenNothing();
  });

  it('records no end if nobody knows it', () => {
    given(maintenanceDecider, [])
      .when({ ...begin, until: null })
      .then([begunOpenEnded]);
    given(maintenanceDecider, [begunOpenEnded])
      .when({ ...begin, until: null })
      .thenNothing();
  });

  it('replaces the reason and the end', () => {
    given(maintenanceDecider, [begun])
      .when({ ...begin, reason: 'a restore' })
      .then([{ type: 'MaintenanceBegun', data: { reason: 'a restore', until, ...by } }]);
    given(maintenanceDecider, [begun])
      .when({ ...begin, until: null })
      .then([begunOpenEnded]);
    given(maintenanceDecider, [begunOpenEnded]).when(begin).then([begun]);
  });

  it('is recorded again after the end, also after one that came by itself', () => {
    given(maintenanceDecider, [begun, ended]).when(begin).then([begun]);
    given(maintenanceDecider, [begun])
      .when({ ...begin, until: null, at: afterwards })
      .then([{ ...begunOpenEnded, data: { ...begunOpenEnded.data, recorded_at: afterwards } }]);
  });

  it.each([at, '2026-02-28T00:00:00.000Z', '2026-03-15T10:00:00.001Z'])('refuses the end %s', (time) => {
    const decide = (): unknown => maintenanceDecider.decide({ ...begin, until: time }, null);
    expect(decide).toThrow(expect.objectContaining({ errors: { until: [expect.stringContaining('at most 14 days ahead')] } }));
  });
});

describe('ending maintenance', () => {
  it('is recorded once', () => {
    given(maintenanceDecider, [begun]).when(end).then([ended]);
    given(maintenanceDecider, [begun, ended]).when(end).thenNothing();
    given(maintenanceDecider, []).when(end).thenNothing();
  });

  it('records nothing if it has ended by itself', () => {
    given(maintenanceDecider, [begun])
      .when({ ...end, at: until })
      .thenNothing();
  });
});

describe('maintenance', () => {
  it('is in force from its begin until its end', () => {
    expect(isInForce(stateAfter(), Date.parse(at))).toBe(false);
    expect(isInForce(stateAfter(begun), Date.parse(at))).toBe(true);
    expect(isInForce(stateAfter(begun), Date.parse(until) - 1)).toBe(true);
    expect(isInForce(stateAfter(begun), Date.parse(until))).toBe(false);
    expect(isInForce(stateAfter(begunOpenEnded), Date.parse('2027-03-01'))).toBe(true);
    expect(isInForce(stateAfter(begun, ended), Date.parse(at))).toBe(false);
  });

  it('keeps the time of its begin while its reason or end is replaced', () => {
    const replaced: MaintenanceEvent = {
      type: 'MaintenanceBegun',
      data: { reason: 'a restore', recorded_at: '2026-03-01T11:00:00.000Z', actor: 'cli' },
    };
    expect(stateAfter(begun, replaced)).toStrictEqual({ reason: 'a restore', since: at, until: null, actor: 'cli' });
    const later = { ...replaced, data: { ...replaced.data, recorded_at: afterwards } };
    expect(stateAfter(begun, later)).toMatchObject({ since: afterwards });
  });
});
