import { adminOperation, type Paths } from './operation.js';
import { count, list, nullable, oneOf, shape, text } from './schema.js';

const ERROR =
  'event 4b4f0c0e-3c1f-4f0e-9b1a-0d2b5f6a7c8d (FarmerUpdated, farmer-rp-spvyqbds at 4): no such crop. It stands still there, and the rest go on. …';

export const readModelPaths: Paths = {
  '/admin/v1/projections': {
    get: adminOperation({
      id: 'listProjections',
      tag: 'Read models',
      summary: 'Every read model: where it is in the log, and how it fares',
      description:
        'A faulted one stands still at the event that its functions could not take, and the others go on. One that is being rebuilt serves what it has until then.',
      answer: {
        data: shape({
          projections: list(
            shape({
              name: text(),
              version: { ...count, description: 'Of its functions and its table.' },
              position: nullable(text('In the log, of the last event that it shows: a whole number. Null before the first.')),
              lag: { ...count, maximum: 10_000, description: 'Events that it has yet to come to; more than 10,000 are not counted.' },
              status: oneOf(['live', 'rebuilding', 'faulted']),
              error: nullable(text('Of a faulted one: which event, why, and what to do.')),
            }),
          ),
        }),
        example: {
          projections: [
            { name: 'wallet_entry', version: 3, position: '48213', lag: 0, status: 'live', error: null },
            { name: 'farmer_profile', version: 1, position: '48007', lag: 206, status: 'faulted', error: ERROR },
          ],
        },
      },
      errors: [],
    }),
  },
};
