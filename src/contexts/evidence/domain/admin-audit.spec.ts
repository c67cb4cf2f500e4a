import { describe, expect, it } from '@jest/globals';
import { ADMIN_CALL } from '../../../../test/support/unit/admin-calls.js';
import { given } from '../../../../test/support/unit/given.js';
import { actionOf, actorOfCall, adminAuditDecider, parametersFound, redactNonIds, targetOf } from './admin-audit.js';

const { recorded_at: at, ...call } = ADMIN_CALL;

describe('the audit trail', () => {
  it('records every start and end of a call, also a repeated one', () => {
    given(adminAuditDecider, [])
      .when({ kind: 'begin', at, call })
      .then([{ type: 'AdminCallBegun', data: ADMIN_CALL }]);
    given(adminAuditDecider, [{ type: 'AdminCallBegun', data: ADMIN_CALL }])
      .when({ kind: 'begin', at, call })
      .then([{ type: 'AdminCallBegun', data: ADMIN_CALL }]);
    given(adminAuditDecider, [])
      .when({ kind: 'end', at, call, status: 403 })
      .then([{ type: 'AdminCallEnded', data: { ...ADMIN_CALL, status: 403 } }]);
  });

  it('keeps parameters that are ids and replaces the others', () => {
    expect(
      redactNonIds({ rupaId: 'rp-1', id: '3e0f3a55-8a33', month: '2026-03', other: 'Aisha Bello', long: 'a'.repeat(65), none: undefined }),
    ).toStrictEqual({ rupaId: 'rp-1', id: '3e0f3a55-8a33', month: '2026-03', other: '?', long: '?', none: '?' });
  });

  it.each([
    [200, { rupaId: 'FARMER-1', id: '22212345678' }],
    [403, { rupaId: '?', id: '?' }],
    [404, { rupaId: '?', id: '?' }],
    [422, { rupaId: '?', id: '?' }],
    [503, { rupaId: '?', id: '?' }],
  ])('keeps what a read with the status %i shows to be an id of something', (status, kept) => {
    expect(parametersFound({ rupaId: 'FARMER-1', id: '22212345678' }, status)).toStrictEqual(kept);
  });

  it('keeps an id in the form of ours in a read that was refused', () => {
    const refused = { rupaId: 'rp-1', id: '3e0f3a55-8a33-4f0e-9b1a-0d2b5f6a7c8d' };
    for (const status of [403, 422, 503]) expect(parametersFound(refused, status)).toStrictEqual(refused);
    expect(parametersFound(refused, 404)).toStrictEqual({ rupaId: '?', id: '?' });
  });

  it('keeps no name of a stream that something else wrote', () => {
    const isForeign = (stream: string): boolean => stream.startsWith('notes-');
    const found = (stream: string) => parametersFound({ stream }, 200, isForeign);
    expect([found('farmer-rp-1'), found('notes-Aminatu')]).toStrictEqual([{ stream: 'farmer-rp-1' }, { stream: '?' }]);
  });

  it('names the caller, the action and the target of a call', () => {
    expect([actorOfCall(call), actionOf(call), targetOf(call)]).toStrictEqual(['admin:amina', 'PUT /admin/v1/farmers/:rupaId', 'rp-1']);
    const command = { ...call, role: 'cli' as const, name: null, method: 'RUN', route: 'rupa prices publish', parameters: {} };
    expect([actorOfCall(command), actionOf(command), targetOf(command)]).toStrictEqual(['cli', 'rupa prices publish', null]);
    expect(targetOf({ parameters: { id: 'p1', month: '2026-03' } })).toBe('p1 2026-03');
  });
});
