import { expect, it } from '@jest/globals';
import { type FarmerEvent } from '../../src/contexts/farmers/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { erasedFarmerProjection } from './erased-farmer.projection.js';

const at = '2026-11-21T10:00:00.000Z';

it('the read model of erased farmers lists the id, time and position of each erasure', () => {
  const data = { rupa_id: 'rp-1', recorded_at: at, actor: 'admin' };
  const events: FarmerEvent[] = [
    { type: 'FarmerRegistered', data: { ...data, mode: 'live', parts: null } },
    { type: 'FarmerErased', data },
  ];
  expect(project(erasedFarmerProjection, recorded(events))).toStrictEqual([{ rupa_id: 'rp-1', erased_at: at, position: '200' }]);
});
