import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { apiKeyDecider } from './api-key.js';
import { type ApiKeyEvent } from './events.js';

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

  it('can be linked to a partner and later to another one', () => {
    given(apiKeyDecider, [issued])
      .when({ ...context, kind: 'link', partner_id: 'p1' })
      .then([linked]);
    given(apiKeyDecider, [issued, linked])
      .when({ ...context, kind: 'link', partner_id: 'p1' })
      .thenNothing();
    given(apiKeyDecider, [issued, linked])
      .when({ ...context, kind: 'link', partner_id: 'p2' })
      .then([{ ...linked, data: { ...recorded, partner_id: 'p2' } }]);
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
