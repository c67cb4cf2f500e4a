import { defineEntity } from '@mikro-orm/core';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'open_charge',
  tableName: 'open_charge',
  properties: {
    lookup_id: column.text().primary(),
    partner_id: column.text(),
    debited_at: column.time(),
    /** Number of the instance that made the charge; null in charges of releases that did not record it. */
    instance: column.integer().nullable(),
  },
});

export type OpenChargeRow = RowOf<typeof table>;

const key = ({ data }: { data: { lookup_id: string } }) => [{ lookup_id: data.lookup_id }];

/** Charges that are neither settled nor refunded. The sweep finds wallets here, and decides on each charge from the wallet's stream. */
export const openChargeProjection = projection<OpenChargeRow, WalletEvent>({
  name: 'open_charge',
  version: 2,
  table,
  comparedHourly: true,
  handlers: {
    WalletDebited: {
      creates: true,
      keys: key,
      apply: (_row, { data: { lookup_id, partner_id, recorded_at }, metadata }) => ({
        lookup_id,
        partner_id,
        debited_at: recorded_at,
        instance: metadata.instance ?? null,
      }),
    },
    ChargesSettled: { removes: true, keys: ({ data }) => data.charges.map(({ lookup_id }) => ({ lookup_id })), apply: () => null },
    WalletCredited: ignored,
    CreditReversed: ignored,
    WalletPaidOut: ignored,
    LookupCompensated: ignored,
    ConsentGranted: ignored,
    RefundIssued: { removes: true, keys: key, apply: () => null },
  },
});
