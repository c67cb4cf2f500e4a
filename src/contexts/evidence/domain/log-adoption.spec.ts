import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type AdoptLog, adoptLogDecider, logNumber, nextOrigin } from './log-adoption.js';

const second: AdoptLog = {
  origin: 'rupa.example/log/2',
  former_note: 'rupa.example/log\n9\n…\n',
  former_key: 'rupa.example/log+0+k',
  lost_events: 3,
  reason: 'The disk of the event store failed.',
  at: '2026-11-21T00:00:05.000Z',
  actor: 'cli',
};
const adopted = ({ at, ...data }: AdoptLog) => ({ type: 'LogAdopted' as const, data: { ...data, recorded_at: at } });
const moved = { type: 'LogMoved' as const, data: { events: 4, recorded_at: '2026-11-21T00:00:00.000Z', actor: 'service' } };

describe('adopting a log that lost events', () => {
  it('begins the next log, and that one once', () => {
    given(adoptLogDecider, [moved])
      .when(second)
      .then([adopted(second)]);
    given(adoptLogDecider, [adopted(second), moved])
      .when({ ...second, reason: 'again' })
      .thenNothing();
    const third = { ...second, origin: 'rupa.example/log/3' };
    given(adoptLogDecider, [adopted(second)])
      .when(third)
      .then([adopted(third)]);
  });

  it('numbers the logs of a service from its first one on, whose origin has no number', () => {
    expect(nextOrigin('rupa.example/log')).toBe('rupa.example/log/2');
    expect(nextOrigin('rupa.example/log/2')).toBe('rupa.example/log/3');
    expect(nextOrigin('rupa.example/log/9/log')).toBe('rupa.example/log/9/log/2');
    expect(['rupa.example/log', 'rupa.example/log/9/log', 'rupa.example/log/12', 'rupa.example/log/0'].map(logNumber)).toStrictEqual([
      1, 1, 12, 1,
    ]);
  });
});
