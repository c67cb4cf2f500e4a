import { defineEntity } from '@mikro-orm/core';
import { type ConsentEvent } from '../../src/contexts/consents/domain/events.js';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { ignored, projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'consent_roster',
  tableName: 'consent_roster',
  properties: {
    partner_id: column.text().primary(),
    rupa_id: column.text().primary(),
    source: column.text(),
    granted_at: column.time(),
    last_accessed_at: column.time(),
    access_count: column.integer(),
    /** Wallet revision of the latest debit, which orders the roster: it differs for all entries of a partner, unlike the time. */
    last_revision: column.integer(),
    /** Wallet revision of the debit that granted this consent, which distinguishes it from a later consent to the same partner. */
    granted_revision: column.integer(),
    /** Position in $all from which the partner is notified of events about the farmer. */
    granted_position: column.position(),
    ...authenticatedColumns,
  },
  // There is no index on last_accessed_at or last_revision: every lookup changes these columns, and PostgreSQL would then write to all indexes of the table.
  // The index has all columns of the key: with the farmer alone, PostgreSQL would find each row of a batch among all partners of that farmer.
  indexes: [{ properties: ['rupa_id', 'partner_id'] }],
});

export type ConsentRosterRow = RowOf<typeof table>;

const keys = ({ data: { partner_id, rupa_id } }: { data: { partner_id: string; rupa_id: string } }) => [{ partner_id, rupa_id }];

/** Each partner's consents. A debit creates or refreshes an entry, and a refund removes its access again (decisions, "Consents"). */
export const consentRosterProjection = projection<WithoutMac<ConsentRosterRow>, WalletEvent | ConsentEvent | PartnerEvent>({
  name: 'consent_roster',
  version: 5,
  table,
  fillFactor: 90,
  handlers: {
    WalletDebited: {
      keys,
      apply: (row, { data: { partner_id, rupa_id, source, recorded_at }, revision, position }) =>
        row
          ? { ...row, last_accessed_at: recorded_at, last_revision: Number(revision), access_count: row.access_count + 1 }
          : {
              partner_id,
              rupa_id,
              source,
              granted_at: recorded_at,
              last_accessed_at: recorded_at,
              access_count: 1,
              last_revision: Number(revision),
              granted_revision: Number(revision),
              granted_position: position.toString(),
            },
    },
    RefundIssued: {
      keys,
      apply: (row, { data }) => {
        // The refunded lookup belonged to an earlier consent, which was released before the refund.
        if (!row || data.debit_revision < row.granted_revision) return row;
        return row.access_count === 1 ? null : { ...row, access_count: row.access_count - 1 };
      },
    },
    WalletCredited: ignored,
    CreditReversed: ignored,
    WalletPaidOut: ignored,
    LookupCompensated: ignored,
    ConsentGranted: ignored,
    ChargesSettled: ignored,
    // A lookup after the reset grants a new consent.
    SandboxReset: {
      removes: true,
      keys: ({ data: { partner_id, rupa_ids } }) => rupa_ids.map((rupa_id) => ({ partner_id, rupa_id })),
      apply: () => null,
    },
    PartnerRegistered: ignored,
    PartnerActivated: ignored,
    PartnerDeactivated: ignored,
    OptionalSectionsChanged: ignored,
    IpAllowListChanged: ignored,
    LowBalanceThresholdChanged: ignored,
    PartnerDetailsChanged: ignored,
    ConsentReleased: { keys, apply: (row, { data }) => (row && row.granted_revision <= data.granted_revision ? null : row) },
  },
});
