import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { given } from '../../../../test/support/unit/given.js';
import { apiKeyDecider } from './api-key.js';
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
      .when({ ...context, kind: 'link', partner_id: 'p1' })
      .thenRejected('api_key_unknown');
  });
});
