import { type Decider } from '../../event-sourcing/decider.js';
import { type IdKind, type IdsEvent, type LastIds } from './events.js';

export interface ReserveIds {
  readonly kind: IdKind;
  readonly count: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

function decide({ kind, count, at, actor }: ReserveIds, state: LastIds): readonly IdsEvent[] {
  const last_id = state[kind] + count;
  const data = { kind, first_id: state[kind] + 1, last_id, last_ids: { ...state, [kind]: last_id }, recorded_at: at, actor };
  return [{ type: 'IdsReserved', data }];
}

export const idsDecider: Decider<LastIds, ReserveIds, IdsEvent> = {
  initialState: { contribution: 0, endpoint: 0 },
  decide,
  evolve: (_state, event) => event.data.last_ids,
};
