import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { consentDecider } from './consent.js';
import { type ConsentEvent } from './events.js';

const at = '2026-11-21T10:00:00.000Z';
const release = { partner_id: 'p1', rupa_id: 'rp-1', granted_revision: 4, at, actor: 'key:k1' };
const released: ConsentEvent = {
  type: 'ConsentReleased',
  data: { partner_id: 'p1', rupa_id: 'rp-1', granted_revision: 4, recorded_at: at, actor: 'key:k1' },
};

describe('releasing a consent', () => {
  it('ends the consent', () => {
    given(consentDecider, []).when(release).then([released]);
  });

  it('is rejected the second time', () => {
    given(consentDecider, [released]).when(release).thenRejected('consent_unknown');
  });

  it('ends a consent that a later lookup granted', () => {
    given(consentDecider, [released])
      .when({ ...release, granted_revision: 9 })
      .then([{ ...released, data: { ...released.data, granted_revision: 9 } }]);
  });
});
