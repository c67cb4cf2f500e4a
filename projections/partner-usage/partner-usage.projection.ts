import { defineEntity } from '@mikro-orm/core';
import { type ContributionEvent } from '../../src/contexts/reports/domain/events.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'partner_usage',
  tableName: 'partner_usage',
  properties: {
    partner_id: column.text().primary(),
    /** Number of lookups that were billed and not refunded. */
    lookups: column.integer(),
    /** Number of contributions created, without updates. */
    contributions: column.integer(),
  },
});

export type PartnerUsageRow = RowOf<typeof table>;

const keys = ({ data }: { data: { partner_id: string } }) => [{ partner_id: data.partner_id }];

/** Numbers of lookups and contributions per partner, for the compliance figures in `GET /me` (decisions, "Contributions"). */
export const partnerUsageProjection = projection<PartnerUsageRow, WalletEvent | ContributionEvent>({
  name: 'partner_usage',
  version: 2,
  table,
  comparedHourly: true,
  handlers: {
    WalletDebited: {
      keys,
      apply: (row, { data: { partner_id } }) => ({ partner_id, contributions: row?.contributions ?? 0, lookups: (row?.lookups ?? 0) + 1 }),
    },
    ContributionRecorded: {
      keys,
      apply: (row, { data: { partner_id } }) => ({ partner_id, lookups: row?.lookups ?? 0, contributions: (row?.contributions ?? 0) + 1 }),
    },
    WalletCredited: ignored,
    CreditReversed: ignored,
    WalletPaidOut: ignored,
    // A compensated lookup still counts: the partner was shown the farmer's data (admin, "Books").
    LookupCompensated: ignored,
    ConsentGranted: ignored,
    ChargesSettled: ignored,
    ContributionUpdated: ignored,
    RefundIssued: { keys, apply: (row) => row && { ...row, lookups: row.lookups - 1 } },
  },
});
