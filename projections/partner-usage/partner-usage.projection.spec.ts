import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/recorded.js';
import { debited, refunded } from '../../test/support/wallet-events.js';
import { partnerUsageProjection } from './partner-usage.projection.js';

describe('the usage', () => {
  it('counts look-ups that were billed and not refunded', () => {
    const events = [debited('l1', 'rp-1'), debited('l2', 'rp-1'), refunded('l1', 'rp-1', 0)];
    expect(project(partnerUsageProjection, recorded(events))).toStrictEqual([{ partner_id: 'p1', lookups: 1, contributions: 0 }]);
  });
});
