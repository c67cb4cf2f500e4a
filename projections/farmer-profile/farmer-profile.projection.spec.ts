import { describe, expect, it } from '@jest/globals';
import { type FarmerEvent } from '../../src/contexts/farmers/domain/events.js';
import { type Section, SECTIONS } from '../../src/kernel/section-names.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { farmerProfileProjection } from './farmer-profile.projection.js';

const at = '2026-11-21T10:00:00.000Z';
const data = { rupa_id: 'rp-1', recorded_at: at, actor: 'admin' };
const registered: FarmerEvent = { type: 'FarmerRegistered', data: { ...data, mode: 'live', parts: {} } };
const row = {
  rupa_id: 'rp-1',
  mode: 'live',
  erased: false,
  registered_at: at,
  has_bureau_report: false,
  bvn_verified: false,
  nin_verified: false,
  agent_enrolled: false,
  gps_farm: false,
  ndvi_present: false,
  phone_verified: false,
  test: null,
  ...Object.fromEntries(SECTIONS.map((section) => [section, null])),
};
const section = (part: Section, content: unknown): FarmerEvent => ({
  type: 'FarmerSectionUpdated',
  data: { ...data, part, data_as_of: '2026-01-01', content },
});
const phone = (content: unknown): FarmerEvent => ({
  type: 'FarmerSectionUpdated',
  data: { ...data, part: 'phone_verified', data_as_of: at, content },
});
const after = (...events: FarmerEvent[]) => project(farmerProfileProjection, recorded([registered, ...events]));

describe('the farmer profile', () => {
  it('starts without sections', () => {
    expect(after()).toStrictEqual([row]);
  });

  it('shows the parts of a registration as if each had been recorded after it', () => {
    const parts = {
      phone_verified: { content: true, data_as_of: at },
      identity: { content: { agent_enrolled: true }, data_as_of: '2026-01-01' },
    };
    const registration: FarmerEvent = { type: 'FarmerRegistered', data: { ...data, mode: 'live', parts } };
    expect(project(farmerProfileProjection, recorded([registration]))).toStrictEqual(
      after(phone(true), section('identity', { agent_enrolled: true })),
    );
  });

  it('replaces a section as a whole, in the shape of the interface, with its data_as_of', () => {
    const wallet = {
      currency: 'NGN',
      status: null,
      balance: 12.5,
      average_monthly_inflow: null,
      average_monthly_outflow: null,
      last_activity_at: null,
      data_as_of: '2026-01-01',
    };
    expect(
      after(section('wallet', { status: 'active', balance: 1 }), section('wallet', { currency: null, balance: 12.5 }), phone(true)),
    ).toStrictEqual([{ ...row, wallet, phone_verified: true }]);
  });

  it('extracts the criteria that lookups need from the sections', () => {
    const bureau = { bureau_name: 'B', report_date: '2026-02-01' };
    const sent = [
      section('identity', { agent_enrolled: true }),
      section('bvn_nin_data', { bvn: { verified: true } }),
      section('farms', { farms: [{ farm_id: 'F1', ndvi: 0.4 }] }),
      section('credit_history', { bureau }),
    ];
    expect(after(...sent)).toMatchObject([
      { agent_enrolled: true, bvn_verified: true, nin_verified: false, gps_farm: false, ndvi_present: true, has_bureau_report: true },
    ]);
    const withdrawn = ['identity', 'bvn_nin_data', 'farms', 'credit_history'].map((part) => section(part as Section, {}));
    expect(after(...sent, ...withdrawn)).toMatchObject([
      { agent_enrolled: false, bvn_verified: false, nin_verified: false, gps_farm: false, ndvi_present: false, has_bureau_report: false },
    ]);
  });

  it('does not change with CreditScoreChanged, because the section carries the score', () => {
    expect(after({ type: 'CreditScoreChanged', data: { ...data, credit_score: 1 } })).toStrictEqual([row]);
  });

  it('keeps the facts of a test farmer, also after its erasure', () => {
    const facts = {
      version: 1,
      lookups: 'fail' as const,
      reports: { loans: [], repayments: [], policies: [], harvests: [], input_purchases: [] },
    };
    const defined: FarmerEvent = { type: 'TestFarmerDefined', data: { ...data, ...facts } };
    expect(after(defined)).toStrictEqual([{ ...row, test: facts }]);
    expect(after(defined, { type: 'FarmerErased', data })).toStrictEqual([{ ...row, erased: true, test: facts }]);
  });

  it('is the same after an erasure, whether its events could be decrypted or not', () => {
    const erased: FarmerEvent = { type: 'FarmerErased', data };
    const live = after(section('identity', { first_name: 'A', agent_enrolled: true }), phone(true), erased);
    expect(live).toStrictEqual([{ ...row, erased: true }]);
    expect(after(section('identity', null), phone(null), erased)).toStrictEqual(live);
    const unreadable: FarmerEvent = { type: 'FarmerRegistered', data: { ...data, mode: 'live', parts: null } };
    expect(project(farmerProfileProjection, recorded([unreadable, erased]))).toStrictEqual(live);
  });
});
