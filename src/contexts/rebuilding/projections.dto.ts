import { Count, ListOf, OneOf, Schema, Text } from '../../http/openapi/properties.js';
import { MAX_COUNTED_LAG } from '../../platform/projecting/checkpoints.js';

const FAULT =
  'event 4b4f0c0e-3c1f-4f0e-9b1a-0d2b5f6a7c8d (FarmerSectionUpdated, farmer-rp-spvyqbds at 4): no such crop. The projection is stopped at this event, and the others continue. …';
const STATUSES = ['live', 'rebuilding', 'faulted'] as const;

@Schema('Projection', { name: 'wallet_entry', version: 3, position: '48213', lag: 0, status: 'live', error: null })
export class ProjectionState {
  @Text() readonly name: string;
  @Count('The version of the projection that built the rows.') readonly version: number;
  @Text({ description: 'Log position of the last event that the rows show, a whole number. Null before the first event.', nullable: true })
  readonly position: string | null;
  @Count({ maximum: MAX_COUNTED_LAG, description: 'Number of events that are not applied yet, counted up to 10,000.' })
  readonly lag: number;
  @OneOf(STATUSES) readonly status: (typeof STATUSES)[number];
  @Text({ description: 'If faulted: the event, the reason and what to do.', nullable: true }) readonly error: string | null;
  /** Number of rows, null without a table. Only the command line asks for it. */
  readonly rows?: number | null;
}

@Schema('ProjectionList', {
  projections: [
    { name: 'wallet_entry', version: 3, position: '48213', lag: 0, status: 'live', error: null },
    { name: 'farmer_profile', version: 1, position: '48007', lag: 206, status: 'faulted', error: FAULT },
  ],
})
export class ProjectionList {
  @ListOf(ProjectionState) readonly projections: readonly ProjectionState[];
}
