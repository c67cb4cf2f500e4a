import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { given } from '../../../../test/support/unit/given.js';
import { type PartnerDetails, type PartnerEvent } from './events.js';
import { type LegalDetails, NO_LEGAL_DETAILS } from './legal-details.js';
import { partnerDecider, type PartnerState } from './partner.js';

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

/** The algorithm of RFC 7396, section 2. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null) return patch;
  const result = typeof target === 'object' && target !== null ? { ...(target as Record<string, unknown>) } : {};
  for (const [name, value] of Object.entries(patch as Record<string, unknown>)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = merged(result[name], value);
  }
  return result;
}

function stateAfter(events: readonly PartnerEvent[]): PartnerState {
  return events.reduce<PartnerState>(
    (state, event, index) => partnerDecider.evolve(state, { ...event, revision: BigInt(index) }),
    partnerDecider.initialState,
  );
}

/** The details with null where the merge patch leaves nothing. */
function known(details: object): object {
  const { company_name, legal } = details as { company_name: string; legal?: object };
  return { company_name, legal: { ...NO_LEGAL_DETAILS, ...legal } };
}

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

  it('changes its details by a merge patch, and records them whole', () => {
    const details = (company_name: string, legal: Partial<LegalDetails> = {}): PartnerEvent => ({
      type: 'PartnerDetailsChanged',
      data: { ...recorded, company_name, legal: { ...NO_LEGAL_DETAILS, ...legal } },
    });
    const change = { ...context, kind: 'change-details' as const };
    const full = details('B', { name: 'B Plc', tax_id: '1' });
    given(partnerDecider, [registered])
      .when({ ...change, company_name: 'B', legal: { name: 'B Plc', tax_id: '1' } })
      .then([full]);
    given(partnerDecider, [registered, full])
      .when({ ...change, legal: { tax_id: null, email: 'b@b.example' } })
      .then([details('B', { name: 'B Plc', email: 'b@b.example' })]);
    given(partnerDecider, [registered, full])
      .when({ ...change, legal: null })
      .then([details('B')]);
  });

  it.each([
    {},
    { company_name: 'A' },
    { legal: {} },
    { legal: null },
    { legal: { name: null } },
    { company_name: undefined, legal: undefined },
    { legal: { name: undefined } },
  ])('records no details where %j changes nothing', (patch) => {
    given(partnerDecider, [registered])
      .when({ ...context, kind: 'change-details', ...patch })
      .thenNothing();
  });

  const text = fc.constantFrom('a', 'b');
  const patches = fc.record(
    {
      company_name: text,
      legal: fc.option(fc.record({ name: fc.option(text), address: fc.option(text), email: fc.option(text) }, { requiredKeys: [] })),
    },
    { requiredKeys: [] },
  );

  it('has the details that RFC 7396 makes of any patches, and records each change once', () => {
    fc.assert(
      fc.property(fc.array(patches, { maxLength: 6 }), (all) => {
        let expected: object = { company_name: 'A', legal: {} };
        const events: PartnerEvent[] = [registered];
        for (const patch of all) {
          const before = expected;
          expected = merged(expected, patch) as object;
          const state = stateAfter(events);
          const decided = partnerDecider.decide({ ...context, kind: 'change-details', ...patch }, state);
          expect(decided).toHaveLength(isDeepStrictEqual(known(before), known(expected)) ? 0 : 1);
          events.push(...decided);
        }
        const { company_name, legal } = stateAfter(events) as PartnerDetails & PartnerState;
        expect({ company_name, legal }).toStrictEqual(known(expected));
      }),
    );
  });

  it('cannot be changed before it is registered', () => {
    given(partnerDecider, [])
      .when({ ...context, kind: 'activate' })
      .thenRejected('partner_unknown');
  });

  it('begins another test run with each reset', () => {
    const reset = (test_run: number): PartnerEvent => ({
      type: 'SandboxReset',
      data: { ...recorded, test_run, rupa_ids: ['rp-test-gold'] },
    });
    const command = { ...context, kind: 'reset-sandbox' as const, rupa_ids: ['rp-test-gold'] };
    given(partnerDecider, [registered])
      .when(command)
      .then([reset(1)]);
    given(partnerDecider, [registered, reset(1)])
      .when(command)
      .then([reset(2)]);
  });
});
