import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type ApprovalLimitSet } from './events.js';
import { approvalLimitDecider } from './approval-limit.js';

const at = '2026-03-01T10:00:00.000Z';
const set = (limit_kobo: number | null) => ({ limit_kobo, at, actor: 'service' });
const recorded = (limit_kobo: number | null): ApprovalLimitSet => ({
  type: 'ApprovalLimitSet',
  data: { limit_kobo, recorded_at: at, actor: 'service' },
});

describe('the amount above which a second person is needed', () => {
  it('is recorded when it changes, also when it is turned off', () => {
    given(approvalLimitDecider, [])
      .when(set(0))
      .then([recorded(0)]);
    given(approvalLimitDecider, [recorded(0)])
      .when(set(100_00))
      .then([recorded(100_00)]);
    given(approvalLimitDecider, [recorded(100_00)])
      .when(set(null))
      .then([recorded(null)]);
  });

  it('is not recorded again, and not in a log that never had one', () => {
    given(approvalLimitDecider, []).when(set(null)).thenNothing();
    given(approvalLimitDecider, [recorded(100_00)])
      .when(set(100_00))
      .thenNothing();
  });
});
