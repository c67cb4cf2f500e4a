import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { at, debited, refunded, settled } from '../../test/support/unit/wallet-events.js';
import { openChargeProjection } from './open-charge.projection.js';

describe('the open charges', () => {
  it('are the charges that are neither settled nor refunded', () => {
    const events = [
      debited('l1', 'rp-1'),
      debited('l2', 'rp-1'),
      debited('l3', 'rp-1'),
      settled({ lookup_id: 'l1', debit_revision: 0 }),
      refunded('l2', 'rp-1', 1),
    ];
    expect(project(openChargeProjection, recorded(events))).toStrictEqual([
      { lookup_id: 'l3', partner_id: 'p1', debited_at: at, instance: null },
    ]);
    expect(project(openChargeProjection, recorded(events), 1)).toStrictEqual([
      { lookup_id: 'l3', partner_id: 'p1', debited_at: at, instance: null },
    ]);
  });

  it('name the instance that made each of them', () => {
    const [first] = recorded([debited('l1', 'rp-1')]);
    if (!first) throw new Error('No event.');
    const event = { ...first, metadata: { ...first.metadata, instance: 7 } };
    expect(project(openChargeProjection, [event])).toStrictEqual([{ lookup_id: 'l1', partner_id: 'p1', debited_at: at, instance: 7 }]);
  });
});
