import { type Pool } from 'pg';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { readCheckpoints } from '../../platform/projecting/checkpoints.js';
import { lowest, positionOf, START } from '../../platform/projecting/positions.js';
import { type LeaderTask } from './leader.js';

/**
 * Compares the furthest-behind checkpoint of `names` with the end of the log. Faulted checkpoints do not count, because they do not move.
 */
export function progressOf(
  { pool, eventStore }: { readonly pool: Pool; readonly eventStore: EventStore },
  names: readonly string[],
): LeaderTask['progress'] {
  return async () => {
    const [known, due] = [await readCheckpoints(pool), await eventStore.headPosition()];
    const positions = names.flatMap((name) => {
      const checkpoint = known.get(name);
      return checkpoint?.fault === null ? [positionOf(checkpoint)] : [];
    });
    return { done: lowest(positions, due), due: due ?? START };
  };
}
