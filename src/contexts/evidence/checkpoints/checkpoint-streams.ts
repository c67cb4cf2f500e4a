import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type CheckpointKeyIssued, type CheckpointLeavesEvent, type CheckpointMade } from '../domain/events.js';
import {
  checkpointDecider,
  checkpointKeyDecider,
  type IssueKey,
  type LastCheckpoint,
  leavesDecider,
  type MakeCheckpoint,
} from '../domain/make-checkpoint.js';

/** Id of the only stream of checkpoints and of the only stream of their keys. */
export const MAIN = 'main';
export const CHECKPOINTS_STREAM = `checkpoints-${MAIN}`;
export const KEYS_STREAM = `checkpoint_keys-${MAIN}`;
const LEAVES_CATEGORY = 'checkpoint_leaves';

export function leavesStreamOf(leavesId: string): string {
  return `${LEAVES_CATEGORY}-${leavesId}`;
}

/** The last event holds the whole state. */
const replayFrom = ({ revision }: { readonly revision: bigint }): bigint => revision;

@Injectable()
export class CheckpointStream extends StreamWriter<LastCheckpoint, MakeCheckpoint, CheckpointMade> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'checkpoints', decider: checkpointDecider, replayFrom });
  }
}

@Injectable()
export class CheckpointKeyStream extends StreamWriter<IssueKey | null, IssueKey, CheckpointKeyIssued> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'checkpoint_keys', decider: checkpointKeyDecider, replayFrom });
  }
}

/** Each tree has a stream of its own, which one process writes at once. */
@Injectable()
export class CheckpointLeavesStream extends StreamWriter<null, CheckpointLeavesEvent, CheckpointLeavesEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, {
      ...SHORT_STREAM,
      category: LEAVES_CATEGORY,
      decider: leavesDecider,
      cachedStates: 2,
      usuallyNew: true,
      namedAtRandom: true,
    });
  }
}
