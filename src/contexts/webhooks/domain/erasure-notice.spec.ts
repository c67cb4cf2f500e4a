import { describe, expect, it } from '@jest/globals';
import { type FarmerEvent } from '../../farmers/domain/events.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { erasureNotice, isErasure, noticesTo } from './erasure-notice.js';
import { notificationBody } from './notification.js';

const at = '2026-03-01T00:00:00.000Z';
const erased = (rupa_id: string, position = 9n) =>
  ({
    type: 'FarmerErased',
    id: `erasure of ${rupa_id}`,
    position,
    data: { rupa_id, recorded_at: at, actor: 'admin' },
  }) as unknown as RecordedEvent<Extract<FarmerEvent, { type: 'FarmerErased' }>>;

describe('the notification of an erasure', () => {
  it('is made of FarmerErased alone', () => {
    expect([isErasure({ type: 'FarmerErased' }), isErasure({ type: 'FarmerRegistered' })]).toStrictEqual([true, false]);
  });

  it('names the farmer and the sequence, and nothing else', () => {
    const [notice] = noticesTo([{ rupa_id: 'rp-1', partner_id: 'p1' }], [erasureNotice(erased('rp-1', 2n ** 60n))]);
    expect(notificationBody({ ...(notice ?? erasureNotice(erased('rp-1'))), mode: 'live', contribution_id: null })).toBe(
      `{"id":"erasure of rp-1","type":"farmer.erased","created_at":"${at}","mode":"live","data":{"rupa_id":"rp-1","sequence":1152921504606846976}}`,
    );
  });

  it('is for each partner that holds or held a consent of the farmer', () => {
    const holders = [
      { rupa_id: 'rp-1', partner_id: 'p1' },
      { rupa_id: 'rp-1', partner_id: 'p2' },
      { rupa_id: 'rp-2', partner_id: 'p3' },
    ];
    const notices = noticesTo(holders, [erasureNotice(erased('rp-1')), erasureNotice(erased('rp-3'))]);
    expect(notices.map(({ rupa_id, partner_id }) => [rupa_id, partner_id])).toStrictEqual([
      ['rp-1', 'p1'],
      ['rp-1', 'p2'],
    ]);
  });
});
