import { defineEntity } from '@mikro-orm/core';
import { type FarmerEvent } from '../../src/contexts/farmers/domain/events.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column, type RowOf } from '../columns.js';

/** An erased farmer, of whom only the pseudonymous id remains. */
const table = defineEntity({
  name: 'erased_farmer',
  tableName: 'erased_farmer',
  properties: {
    rupa_id: column.text().primary(),
    erased_at: column.time(),
    /** Position of the erasure in $all. */
    position: column.position(),
  },
  indexes: [{ properties: ['position'] }],
});

export type ErasedFarmerRow = RowOf<typeof table>;

/** All erased farmers. The eraser compares the key store and all other data about farmers with this list (docs/adr/0008). */
export const erasedFarmerProjection = projection<ErasedFarmerRow, FarmerEvent>({
  name: 'erased_farmer',
  version: 1,
  table,
  comparedHourly: true,
  handlers: {
    FarmerRegistered: ignored,
    FarmerSectionUpdated: ignored,
    CreditScoreChanged: ignored,
    TestFarmerDefined: ignored,
    FarmerErased: {
      creates: true,
      keys: ({ data: { rupa_id } }) => [{ rupa_id }],
      apply: (_row, { data: { rupa_id, recorded_at }, position }) => ({ rupa_id, erased_at: recorded_at, position: position.toString() }),
    },
  },
});
