import { PathParameter } from '../../http/openapi/properties.js';

export const CHECKPOINT_NUMBER = PathParameter({
  name: 'number',
  description: 'Number of the checkpoint: 1 for the first.',
  schema: { type: 'integer', minimum: 1 },
  example: 12,
});
