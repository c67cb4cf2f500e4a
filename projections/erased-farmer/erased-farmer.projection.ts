import { defineEntity } from '@mikro-orm/core';
import { type FarmerEvent } from '../../src/contexts/farmers/domain/events.js';
import { ignored, projection } from '../../src/platform/projecting/projection.js';
import { column } from '../columns.js';

/** An erased farmer, of whom only the pseudonymous id remains. */
export interface ErasedFarmerRow {
  readonly rupa_id: string;
  readonly erased_at: string;
  /** Position of the erasure in $all. */
  readonly position: string;
}

const table = defineEntity({
  name: 'erased_farmer',
  tableName: 'erased_farmer',
  properties: {
    rupa_id: column.text().primary(),
    erased_at: column.time(),
    position: column.position(),
  },
  indexes: [{ properties: ['position'] }],
});

/** All erased farmers. The eraser compares the key store and all other data about farmers with this list (docs/adr/0008). */
export const erasedFarmerProjection = projection<ErasedFarmerRow, FarmerEvent>({
  name: 'erased_farmer',
  version: 1,
  table,
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
