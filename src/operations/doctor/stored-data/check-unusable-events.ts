import { type Pool } from 'pg';
import { isCreated, unusableEvents } from '../../../platform/unusable-events/unusable-table.js';
import { failure, type Finding, ok } from '../finding.js';

/** Events that are named one by one. More of them have the same cause. */
const MAX_NAMED = 20;

/** Names the events that the projector set aside because they cannot be used (docs/adr/0030). */
export async function checkUnusableEvents(pool: Pool): Promise<readonly Finding[]> {
  const found = (await isCreated(pool)) ? await unusableEvents(pool) : [];
  if (found.length === 0) return [ok('events', 'none is set aside')];
  const named = found
    .slice(0, MAX_NAMED)
    .map(({ event_id, position, stream, revision, type, reason }) =>
      failure(
        'events',
        `the event ${event_id} (type ${type}, ${stream} at revision ${revision}, position ${position}) cannot be used, because ${reason}`,
        `Find out what wrote it. Calls that need its stream get a 503 until you run: rupa events skip ${position} --reason …`,
      ),
    );
  const others = found.length - named.length;
  return others === 0 ? named : [...named, failure('events', `${others} more events cannot be used`, 'Run: rupa projections status')];
}
