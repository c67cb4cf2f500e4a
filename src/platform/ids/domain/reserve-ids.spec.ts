import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type IdsEvent } from './events.js';
import { idsDecider } from './reserve-ids.js';

const now = { recorded_at: '2026-11-21T10:00:00.000Z', actor: 'service' };
const reserved: IdsEvent = {
  type: 'IdsReserved',
  data: { kind: 'contribution', first_id: 1, last_id: 256, last_ids: { contribution: 256, endpoint: 4 }, ...now },
};

describe('reserving ids', () => {
  it('starts at 1', () => {
    const data = { kind: 'endpoint' as const, first_id: 1, last_id: 1, last_ids: { contribution: 0, endpoint: 1 }, ...now };
    given(idsDecider, [])
      .when({ kind: 'endpoint', count: 1, at: now.recorded_at, actor: 'service' })
      .then([{ type: 'IdsReserved', data }]);
  });

  it('continues after the last block of the same kind', () => {
    const data = { kind: 'contribution' as const, first_id: 257, last_id: 266, last_ids: { contribution: 266, endpoint: 4 }, ...now };
    given(idsDecider, [reserved])
      .when({ kind: 'contribution', count: 10, at: now.recorded_at, actor: 'service' })
      .then([{ type: 'IdsReserved', data }]);
  });
});
