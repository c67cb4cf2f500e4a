import { Schema } from '../../http/openapi/example.js';
import { Count, ListOf, OneOf, Text } from '../../http/openapi/properties.js';

/** A projection that is further behind is behind by at least as many events. */
export const LAG_COUNTED = 10_000;

const FAULT =
  'event 4b4f0c0e-3c1f-4f0e-9b1a-0d2b5f6a7c8d (FarmerUpdated, farmer-rp-spvyqbds at 4): no such crop. It stands still there, and the rest go on. …';
const STATUSES = ['live', 'rebuilding', 'faulted'] as const;

@Schema('Projection', { name: 'wallet_entry', version: 3, position: '48213', lag: 0, status: 'live', error: null })
export class ProjectionState {
  @Text() readonly name: string;
  @Count('Of its functions and its table, as its rows were built.') readonly version: number;
  @Text({ description: 'Position in the log of the last event that its rows show: a whole number. Null before the first.', nullable: true })
  readonly position: string | null;
  @Count({ maximum: LAG_COUNTED, description: 'Events that it has yet to apply; more than 10,000 are not counted.' }) readonly lag: number;
  @OneOf(STATUSES) readonly status: (typeof STATUSES)[number];
  @Text({ description: 'Of a faulted one: the event, the reason, and what to do.', nullable: true }) readonly error: string | null;
  /** Only where the command line asks for it. */
  readonly rows?: number;
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
