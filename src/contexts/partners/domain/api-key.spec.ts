import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { given } from '../../../../test/support/unit/given.js';
import { apiKeyDecider, hasEnded } from './api-key.js';
import { type ApiKeyEvent } from './api-key-events.js';

const at = '2026-11-21T10:00:00.000Z';
const context = { key_id: 'k1', at, actor: 'admin' };
const recorded = { key_id: 'k1', recorded_at: at, actor: 'admin' };
const issued: ApiKeyEvent = { type: 'ApiKeyIssued', data: { ...recorded, key_hash: 'h', label: null, partner_id: null } };
const linked: ApiKeyEvent = { type: 'ApiKeyLinked', data: { ...recorded, partner_id: 'p1' } };
const deactivated: ApiKeyEvent = { type: 'ApiKeyDeactivated', data: recorded };
const issue = { ...context, kind: 'issue' as const, key_hash: 'h', label: null, partner_id: null };

describe('an API key', () => {
  it('is issued once', () => {
    given(apiKeyDecider, []).when(issue).then([issued]);
    given(apiKeyDecider, [issued]).when(issue).thenNothing();
  });

  it('can be linked to a partner', () => {
    given(apiKeyDecider, [issued])
      .when({ ...context, kind: 'link', partner_id: 'p1' })
      .then([linked]);
  });

  it('is issued with what lists show of it, and the key that it replaces', () => {
    const shown = { prefix: 'rupa_key_000000', last_four: 'LsT0', rotated_from: 'k0' };
    given(apiKeyDecider, [])
      .when({ ...issue, ...shown })
      .then([{ ...issued, data: { ...issued.data, ...shown } }]);
  });

  const ending = (expires_at: string): ApiKeyEvent => ({ type: 'ApiKeyExpirySet', data: { ...recorded, expires_at } });

  it('ends some hours after it was replaced', () => {
    given(apiKeyDecider, [issued])
      .when({ ...context, kind: 'expire', in_hours: 24 })
      .then([ending('2026-11-22T10:00:00.000Z')]);
    given(apiKeyDecider, [issued])
      .when({ ...context, kind: 'expire', in_hours: 0 })
      .then([ending(at)]);
  });

  it('keeps an end that is earlier, and gets one that is earlier than its own', () => {
    const ends = ending('2026-11-21T12:00:00.000Z');
    for (const in_hours of [2, 24])
      given(apiKeyDecider, [issued, ends])
        .when({ ...context, kind: 'expire', in_hours })
        .thenNothing();
    given(apiKeyDecider, [issued, ends])
      .when({ ...context, kind: 'expire', in_hours: 1 })
      .then([ending('2026-11-21T11:00:00.000Z')]);
  });

  it('gets no end once it is deactivated', () => {
    given(apiKeyDecider, [issued, deactivated])
      .when({ ...context, kind: 'expire', in_hours: 1 })
      .thenNothing();
  });

  it('is refused from its end on, and never gets a later end, however often it is replaced', () => {
    const minutes = fc.array(fc.record({ after: fc.nat(300), in_hours: fc.nat(168) }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(minutes, (rotations) => {
        const history: ApiKeyEvent[] = [issued];
        let [now, earliest] = [Date.parse(at), Infinity];
        for (const { after, in_hours } of rotations) {
          now += after * 60_000;
          earliest = Math.min(earliest, now + in_hours * 3_600_000);
          const { state } = given(apiKeyDecider, history);
          history.push(...apiKeyDecider.decide({ ...context, at: new Date(now).toISOString(), kind: 'expire', in_hours }, state));
        }
        const { state } = given(apiKeyDecider, history);
        const hasEndedAt = (ms: number): boolean => hasEnded(state, new Date(ms).toISOString());
        expect([hasEndedAt(earliest - 1), hasEndedAt(earliest), hasEndedAt(earliest + 1)]).toStrictEqual([false, true, true]);
      }),
    );
  });

  const partners = fc.constantFrom('p1', 'p2', 'p3');
  const commands = fc.array(
    fc.oneof(fc.record({ kind: fc.constant('link' as const), partner_id: partners }), fc.constant({ kind: 'deactivate' as const })),
    { maxLength: 8 },
  );

  it('belongs for ever to the first partner that it was issued for or linked to, whatever commands follow', () => {
    fc.assert(
      fc.property(fc.option(partners), commands, (partner_id, following) => {
        const first = partner_id ?? following.find((command) => command.kind === 'link')?.partner_id ?? null;
        const history: ApiKeyEvent[] = [{ ...issued, data: { ...issued.data, partner_id } }];
        for (const command of following) {
          const { state, when } = given(apiKeyDecider, history);
          const deactivatedBefore = state.status === 'deactivated';
          if (command.kind === 'link' && deactivatedBefore) when({ ...context, ...command }).thenRejected('api_key_deactivated');
          else if (command.kind === 'link' && (state as { partner_id: string | null }).partner_id !== null && command.partner_id !== first)
            when({ ...context, ...command }).thenRejected('api_key_linked');
          else history.push(...apiKeyDecider.decide({ ...context, ...command }, state));
          const { state: after } = given(apiKeyDecider, history);
          expect([first, null]).toContain((after as { partner_id: string | null }).partner_id);
        }
        expect(history.filter(({ type }) => type === 'ApiKeyLinked').length).toBeLessThanOrEqual(partner_id === null ? 1 : 0);
      }),
    );
  });

  it('that an earlier release moved to another partner belongs to that one', () => {
    const moved: ApiKeyEvent = { ...linked, data: { ...recorded, partner_id: 'p2' } };
    given(apiKeyDecider, [issued, linked, moved])
      .when({ ...context, kind: 'link', partner_id: 'p2' })
      .thenNothing();
    given(apiKeyDecider, [issued, linked, moved])
      .when({ ...context, kind: 'link', partner_id: 'p1' })
      .thenRejected('api_key_linked');
  });

  it('is deactivated once and stays deactivated', () => {
    given(apiKeyDecider, [issued, linked])
      .when({ ...context, kind: 'deactivate' })
      .then([deactivated]);
    given(apiKeyDecider, [issued, linked, deactivated])
      .when({ ...context, kind: 'deactivate' })
      .thenNothing();
  });

  it('cannot be changed before it is issued', () => {
    given(apiKeyDecider, [])
      .when({ ...context, kind: 'deactivate' })
      .thenRejected('api_key_unknown');
    given(apiKeyDecider, [])
      .when({ ...context, kind: 'expire', in_hours: 1 })
      .thenRejected('api_key_unknown');
    given(apiKeyDecider, [])
      .when({ ...context, kind: 'link', partner_id: 'p1' })
      .thenRejected('api_key_unknown');
  });
});
