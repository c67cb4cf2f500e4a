import { type FarmerEvent } from '../../farmers/domain/events.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { ERASED_TYPE } from './notification-types.js';
import { type PartnerNotification } from './notification.js';

/** The notification of an erasure, before its recipients are known. */
export type ErasureNotice = Omit<PartnerNotification, 'partner_id' | 'rupa_id'> & { readonly rupa_id: string };

type FarmerErased = Extract<FarmerEvent, { type: 'FarmerErased' }>;
const ERASED: FarmerErased['type'] = 'FarmerErased';

export function isErasure(event: Pick<RecordedEvent, 'type'>): boolean {
  return event.type === ERASED;
}

/** Returns the notification of an erasure: the id of the farmer, and nothing else (decisions, "Erasure"). */
export function erasureNotice({ id, data: { rupa_id, recorded_at }, position }: RecordedEvent<FarmerErased>): ErasureNotice {
  return {
    event_id: id,
    type: ERASED_TYPE,
    rupa_id,
    event: null,
    occurred_at: null,
    recorded_at,
    sequence: position.toString(),
    data: null,
  };
}

/** A partner that holds or held a consent of a farmer. */
export interface ConsentHolder {
  readonly rupa_id: string;
  readonly partner_id: string;
}

/** Returns the notifications of erasures, one for each partner that holds or held a consent of the farmer. */
export function noticesTo(holders: readonly ConsentHolder[], notices: readonly ErasureNotice[]): readonly PartnerNotification[] {
  return notices.flatMap((notice) =>
    holders.filter(({ rupa_id }) => rupa_id === notice.rupa_id).map(({ partner_id }) => ({ ...notice, partner_id })),
  );
}
