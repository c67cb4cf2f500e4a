import { type Pool } from 'pg';
import { type Clock } from '../../../kernel/clock.js';
import { type Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type Secrets } from '../../../platform/key-store/secrets.js';
import { CheckpointKeys, type CheckpointOptions } from './checkpoint-keys.js';
import { CheckpointLog } from './checkpoint-log.js';
import { KeptNote } from './kept-note.js';
import { CheckpointMaker } from './checkpoint-maker.js';
import { LogProofs } from '../tree/log-proofs.js';
import { Cosignatures } from '../witnesses/cosignature-table.js';
import { Cosigning } from '../witnesses/cosigning.js';
import { type WitnessEvents, WitnessRounds } from '../witnesses/witness-rounds.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/** The stores of a service, also of one that does not start because events were lost. */
export interface CheckpointStores {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly codec: Codec;
  readonly secrets: Secrets;
}

export interface CheckpointParts {
  readonly keys: CheckpointKeys;
  readonly log: CheckpointLog;
  readonly kept: KeptNote;
  readonly maker: CheckpointMaker;
  readonly proofs: LogProofs;
  readonly cosignatures: Cosignatures;
  /** Begins to ask the witnesses. */
  witnessRounds(this: void, events: WitnessEvents): WitnessRounds;
}

/** Makes the parts of this context for the background thread, which has no container of dependencies. */
export function checkpointParts(stores: CheckpointStores, clock: Clock, options: CheckpointOptions): CheckpointParts {
  const { pool, eventStore, codec, secrets } = stores;
  const streams = new Streams(eventStore, codec, clock);
  const log = new CheckpointLog(eventStore);
  const keys = new CheckpointKeys(streams, eventStore, secrets, log, clock, options);
  const kept = new KeptNote(secrets);
  const maker = new CheckpointMaker(pool, eventStore, keys, log, kept, streams, clock);
  const proofs = new LogProofs(pool, eventStore, log);
  const cosignatures = new Cosignatures(pool, options);
  const cosigning = new Cosigning(log, proofs, cosignatures);
  const witnessRounds = (events: WitnessEvents): WitnessRounds => new WitnessRounds(log, options.witnesses, cosigning, events);
  return { keys, log, kept, maker, proofs, cosignatures, witnessRounds };
}
