import { describe, expect, it } from '@jest/globals';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { NO_LEGAL_DETAILS } from '../../src/contexts/partners/domain/legal-details.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { partnerProjection } from './partner.projection.js';

const at = '2026-11-21T10:00:00.000Z';
const data = { partner_id: 'p1', recorded_at: at, actor: 'admin' };
const registered: PartnerEvent = { type: 'PartnerRegistered', data: { ...data, company_name: 'A', account_type: 'bank', mode: 'live' } };
const row = {
  partner_id: 'p1',
  company_name: 'A',
  account_type: 'bank',
  mode: 'live',
  status: 'pending',
  optional_sections: [],
  ip_allow_list: [],
  registered_at: at,
  test_run: 0,
};
const after = (...events: PartnerEvent[]) => project(partnerProjection, recorded([registered, ...events]));

describe('the partner read model', () => {
  it('shows a registered partner as pending', () => {
    expect(after()).toStrictEqual([row]);
  });

  it('follows activation and deactivation', () => {
    expect(after({ type: 'PartnerActivated', data })).toStrictEqual([{ ...row, status: 'active' }]);
    expect(after({ type: 'PartnerActivated', data }, { type: 'PartnerDeactivated', data })).toStrictEqual([row]);
  });

  it('shows optional sections and the allow-list', () => {
    expect(
      after(
        { type: 'OptionalSectionsChanged', data: { ...data, sections: ['farms'] } },
        { type: 'IpAllowListChanged', data: { ...data, cidrs: ['::1'] } },
      ),
    ).toStrictEqual([{ ...row, optional_sections: ['farms'], ip_allow_list: ['::1'] }]);
  });

  it('follows a change of the company’s name', () => {
    const changed = { ...data, company_name: 'B', legal: NO_LEGAL_DETAILS };
    expect(after({ type: 'PartnerDetailsChanged', data: changed })).toStrictEqual([{ ...row, company_name: 'B' }]);
  });

  it('shows how often a sandbox account was reset', () => {
    const reset = (test_run: number): PartnerEvent => ({ type: 'SandboxReset', data: { ...data, test_run, rupa_ids: [] } });
    expect(after(reset(1), reset(2))).toStrictEqual([{ ...row, test_run: 2 }]);
  });

  it('ignores events of a partner that was never registered', () => {
    expect(project(partnerProjection, recorded([{ type: 'PartnerActivated', data }]))).toStrictEqual([]);
  });
});
