import { defineEntity } from '@mikro-orm/core';
import { type FarmerEvent, type RecordPart } from '../../src/farmers/domain/events.js';
import { type Section } from '../../src/farmers/domain/farmer-record.js';
import { projection } from '../../src/projecting/projection.js';
import { column } from '../columns.js';

type Documents = { readonly [S in Section]: unknown };

/** A farmer's record: each section's document, with its `data_as_of`, or null. */
export interface FarmerProfileRow extends Documents {
  readonly rupa_id: string;
  readonly mode: 'live' | 'sandbox';
  readonly erased: boolean;
  readonly registered_at: string;
  readonly phone_verified: boolean | null;
}

const table = defineEntity({
  name: 'farmer_profile',
  tableName: 'farmer_profile',
  properties: {
    rupa_id: column.text().primary(),
    mode: column.text(),
    erased: column.boolean(),
    registered_at: column.time(),
    phone_verified: column.boolean().nullable(),
    identity: column.document().nullable(),
    bvn_nin_data: column.document().nullable(),
    credit_history: column.document().nullable(),
    outstanding_loans: column.document().nullable(),
    transaction_volume: column.document().nullable(),
    farms: column.document().nullable(),
    underwriting_value: column.document().nullable(),
    wallet: column.document().nullable(),
    socioeconomic_profile: column.document().nullable(),
  },
});

const noSections: Documents = {
  identity: null,
  bvn_nin_data: null,
  credit_history: null,
  outstanding_loans: null,
  transaction_volume: null,
  farms: null,
  underwriting_value: null,
  wallet: null,
  socioeconomic_profile: null,
};

const keys = ({ data }: { data: { rupa_id: string } }) => [{ rupa_id: data.rupa_id }];

function withPart(row: FarmerProfileRow, part: RecordPart, content: unknown, data_as_of: string): FarmerProfileRow {
  if (row.erased) return row;
  if (part === 'phone_verified') return { ...row, phone_verified: content as boolean | null };
  // What no key opens any more is as if it had never been sent.
  return { ...row, [part]: content === null ? null : { ...(content as object), data_as_of } };
}

/** Farmers' records from farmer events alone: what look-ups read. */
export const farmerProfileProjection = projection<FarmerProfileRow, FarmerEvent>({
  name: 'farmer_profile',
  version: 1,
  table,
  handlers: {
    FarmerRegistered: {
      creates: true,
      keys,
      apply: (_row, { data: { rupa_id, mode, recorded_at } }) => ({
        rupa_id,
        mode,
        erased: false,
        registered_at: recorded_at,
        phone_verified: null,
        ...noSections,
      }),
    },
    FarmerSectionUpdated: { keys, apply: (row, { data }) => row && withPart(row, data.part, data.content, data.data_as_of) },
    FarmerErased: { keys, apply: (row) => row && { ...row, erased: true, phone_verified: null, ...noSections } },
  },
});
