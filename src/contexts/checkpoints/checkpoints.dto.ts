import { ApiParam } from '@nestjs/swagger';

export const CHECKPOINT_NUMBER = ApiParam({
  name: 'number',
  description: 'Number of the checkpoint: 1 for the first.',
  schema: { type: 'integer', minimum: 1 },
  example: 12,
});
