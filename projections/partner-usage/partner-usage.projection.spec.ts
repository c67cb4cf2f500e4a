import { describe, expect, it } from '@jest/globals';
import { type Contribution, type ContributionEvent } from '../../src/contexts/reports/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { debited, refunded } from '../../test/support/unit/wallet-events.js';
import { partnerUsageProjection } from './partner-usage.projection.js';

describe("a partner's usage", () => {
  it('counts lookups that were billed and not refunded', () => {
    const events = [debited('l1', 'rp-1'), debited('l2', 'rp-1'), refunded('l1', 'rp-1', 0)];
    expect(project(partnerUsageProjection, recorded(events))).toStrictEqual([{ partner_id: 'p1', lookups: 1, contributions: 0 }]);
  });

  it('counts contributions that were created, not their updates', () => {
    const data = { contribution_id: 1, partner_id: 'p1', recorded_at: 'x', actor: 'a' } as Contribution & {
      recorded_at: string;
      actor: string;
    };
    const events: ContributionEvent[] = [
      { type: 'ContributionRecorded', data },
      { type: 'ContributionUpdated', data: { ...data, previous_rupa_id: 'rp-1' } },
      { type: 'ContributionRecorded', data: { ...data, contribution_id: 2 } },
    ];
    expect(project(partnerUsageProjection, recorded(events))).toStrictEqual([{ partner_id: 'p1', lookups: 0, contributions: 2 }]);
  });
});
