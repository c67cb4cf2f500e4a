import { defineEntity } from '@mikro-orm/core';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column } from '../columns.js';

export interface LowBalanceThresholdRow {
  readonly partner_id: string;
  /** Position of the change in $all: the threshold applies to the wallet's events after it. */
  readonly position: string;
  /** Null after the partner removed its threshold. */
  readonly threshold_kobo: number | null;
}

const table = defineEntity({
  name: 'low_balance_threshold',
  tableName: 'low_balance_threshold',
  properties: {
    partner_id: column.text().primary(),
    position: column.position().primary(),
    threshold_kobo: column.kobo().nullable(),
  },
});

/** Every threshold of every partner, so that a notification is decided by the one that was in force, however late the subscriber is. */
export const lowBalanceThresholdProjection = projection<LowBalanceThresholdRow, PartnerEvent>({
  name: 'low_balance_threshold',
  version: 1,
  table,
  handlers: {
    PartnerRegistered: ignored,
    PartnerActivated: ignored,
    PartnerDeactivated: ignored,
    OptionalSectionsChanged: ignored,
    IpAllowListChanged: ignored,
    LowBalanceThresholdChanged: {
      creates: true,
      keys: ({ data, position }) => [{ partner_id: data.partner_id, position: position.toString() }],
      apply: (_row, { data: { partner_id, threshold_kobo }, position }) => ({ partner_id, position: position.toString(), threshold_kobo }),
    },
  },
});
