import { describe, expect, it } from '@jest/globals';
import { type FarmerEvent } from '../../src/farmers/domain/events.js';
import { project, recorded } from '../../test/support/recorded.js';
import { farmerProfileProjection } from './farmer-profile.projection.js';

const at = '2026-11-21T10:00:00.000Z';
const data = { rupa_id: 'rp-1', recorded_at: at, actor: 'admin' };
const registered: FarmerEvent = { type: 'FarmerRegistered', data: { ...data, mode: 'live' } };
const row = {
  rupa_id: 'rp-1',
  mode: 'live',
  erased: false,
  registered_at: at,
  phone_verified: null,
  identity: null,
  bvn_nin_data: null,
  credit_history: null,
  outstanding_loans: null,
  transaction_volume: null,
  farms: null,
  underwriting_value: null,
  wallet: null,
  socioeconomic_profile: null,
};
const identity = (content: unknown): FarmerEvent => ({ type: 'FarmerSectionUpdated', data: { ...data, part: 'identity', data_as_of: '2026-01-01', content } });
const phone = (content: unknown): FarmerEvent => ({ type: 'FarmerSectionUpdated', data: { ...data, part: 'phone_verified', data_as_of: at, content } });
const after = (...events: FarmerEvent[]) => project(farmerProfileProjection, recorded([registered, ...events]));

describe('the farmer profile', () => {
  it('begins empty', () => {
    expect(after()).toStrictEqual([row]);
  });

  it('takes each section whole, with its age', () => {
    expect(after(identity({ first_name: 'A', last_name: 'B' }), identity({ first_name: 'A' }), phone(true))).toStrictEqual([
      { ...row, identity: { first_name: 'A', data_as_of: '2026-01-01' }, phone_verified: true },
    ]);
  });

  it('is left by a change of score as it is: the section carries it', () => {
    expect(after({ type: 'CreditScoreChanged', data: { ...data, credit_score: 1 } })).toStrictEqual([row]);
  });

  it('is the same after an erasure whether its events could be read or not', () => {
    const erased: FarmerEvent = { type: 'FarmerErased', data };
    const live = after(identity({ first_name: 'A' }), phone(true), erased);
    expect(live).toStrictEqual([{ ...row, erased: true }]);
    expect(after(identity(null), phone(null), erased)).toStrictEqual(live);
  });
});
