import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type PartnerEvent } from './events.js';
import { partnerDecider } from './partner.js';

const at = '2026-11-21T10:00:00.000Z';
const context = { partner_id: 'p1', at, actor: 'admin' };
const recorded = { partner_id: 'p1', recorded_at: at, actor: 'admin' };
const registered: PartnerEvent = {
  type: 'PartnerRegistered',
  data: { ...recorded, company_name: 'A', account_type: 'bank', mode: 'live' },
};
const activated: PartnerEvent = { type: 'PartnerActivated', data: recorded };
const deactivated: PartnerEvent = { type: 'PartnerDeactivated', data: recorded };
const register = { ...context, kind: 'register' as const, company_name: 'A', account_type: 'bank' as const, mode: 'live' as const };

describe('a partner', () => {
  it('is registered once', () => {
    given(partnerDecider, []).when(register).then([registered]);
    given(partnerDecider, [registered]).when(register).thenNothing();
  });

  it('is pending until it is activated, and again after it is deactivated', () => {
    given(partnerDecider, [registered])
      .when({ ...context, kind: 'deactivate' })
      .thenNothing();
    given(partnerDecider, [registered])
      .when({ ...context, kind: 'activate' })
      .then([activated]);
    given(partnerDecider, [registered, activated])
      .when({ ...context, kind: 'activate' })
      .thenNothing();
    given(partnerDecider, [registered, activated])
      .when({ ...context, kind: 'deactivate' })
      .then([deactivated]);
    given(partnerDecider, [registered, activated, deactivated])
      .when({ ...context, kind: 'activate' })
      .then([activated]);
  });

  it('changes its optional sections only if the list differs', () => {
    const changed: PartnerEvent = { type: 'OptionalSectionsChanged', data: { ...recorded, sections: ['farms'] } };
    const change = { ...context, kind: 'change-optional-sections' as const, sections: ['farms' as const] };
    given(partnerDecider, [registered]).when(change).then([changed]);
    given(partnerDecider, [registered, changed]).when(change).thenNothing();
  });

  it('changes its IP allow-list only if the list differs', () => {
    const changed: PartnerEvent = { type: 'IpAllowListChanged', data: { ...recorded, cidrs: ['10.0.0.0/8'] } };
    const change = { ...context, kind: 'change-ip-allow-list' as const, cidrs: ['10.0.0.0/8'] };
    given(partnerDecider, [registered]).when(change).then([changed]);
    given(partnerDecider, [registered, changed]).when(change).thenNothing();
    given(partnerDecider, [registered, changed])
      .when({ ...change, cidrs: [] })
      .then([{ ...changed, data: { ...recorded, cidrs: [] } }]);
  });

  it('changes the threshold of its low balance only if it differs', () => {
    const changed = (threshold_kobo: number | null): PartnerEvent => ({
      type: 'LowBalanceThresholdChanged',
      data: { ...recorded, threshold_kobo },
    });
    const change = { ...context, kind: 'change-low-balance-threshold' as const };
    given(partnerDecider, [registered])
      .when({ ...change, threshold_kobo: null })
      .thenNothing();
    given(partnerDecider, [registered])
      .when({ ...change, threshold_kobo: 1 })
      .then([changed(1)]);
    given(partnerDecider, [registered, changed(1)])
      .when({ ...change, threshold_kobo: 1 })
      .thenNothing();
    given(partnerDecider, [registered, changed(1)])
      .when({ ...change, threshold_kobo: null })
      .then([changed(null)]);
  });

  it('cannot be changed before it is registered', () => {
    given(partnerDecider, [])
      .when({ ...context, kind: 'activate' })
      .thenRejected('partner_unknown');
  });
});
