import { defineEntity } from '@mikro-orm/core';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'low_balance_threshold',
  tableName: 'low_balance_threshold',
  properties: {
    partner_id: column.text().primary(),
    /** Position of the change in $all: the threshold applies to the wallet's events after it. */
    position: column.position().primary(),
    /** Null after the partner removed its threshold. */
    threshold_kobo: column.kobo().nullable(),
  },
});

export type LowBalanceThresholdRow = RowOf<typeof table>;

/** Every threshold of every partner, so that a notification is decided by the one that was in force, however late the subscriber is. */
export const lowBalanceThresholdProjection = projection<LowBalanceThresholdRow, PartnerEvent>({
  name: 'low_balance_threshold',
  version: 1,
  table,
  comparedHourly: true,
  handlers: {
    PartnerRegistered: ignored,
    PartnerActivated: ignored,
    PartnerDeactivated: ignored,
    OptionalSectionsChanged: ignored,
    IpAllowListChanged: ignored,
    PartnerDetailsChanged: ignored,
    SandboxReset: ignored,
    LowBalanceThresholdChanged: {
      creates: true,
      keys: ({ data, position }) => [{ partner_id: data.partner_id, position: position.toString() }],
      apply: (_row, { data: { partner_id, threshold_kobo }, position }) => ({ partner_id, position: position.toString(), threshold_kobo }),
    },
  },
});
