import { describe, expect, it } from '@jest/globals';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { lowBalanceThresholdProjection } from './low-balance-threshold.projection.js';

const changed = (partner_id: string, threshold_kobo: number | null): PartnerEvent => ({
  type: 'LowBalanceThresholdChanged',
  data: { partner_id, recorded_at: '2026-11-21T10:00:00.000Z', actor: 'key:k1', threshold_kobo },
});

describe('the thresholds of low balances', () => {
  it('are kept with the position from which each applies', () => {
    const events = [changed('p1', 500_00), changed('p2', 1_00), changed('p1', null)];
    expect(project(lowBalanceThresholdProjection, recorded(events))).toStrictEqual([
      { partner_id: 'p1', position: '100', threshold_kobo: 500_00 },
      { partner_id: 'p2', position: '200', threshold_kobo: 1_00 },
      { partner_id: 'p1', position: '300', threshold_kobo: null },
    ]);
  });
});
