import { type Checkpoint, type CheckpointLog } from '../checkpoints/checkpoint-log.js';
import { type Cosigning } from './cosigning.js';
import { type Witness } from './witness.js';

/** Callbacks for the outcome of each request. */
export interface WitnessEvents {
  onCosigned(this: void, witness: Witness, checkpoint: Checkpoint): void;
  onAway(this: void, witness: Witness, checkpoint: Checkpoint, error: unknown): void;
}

/**
 * Sends each new checkpoint to each witness once, and the newest one at the start. No witness waits for another, and nothing else waits for
 * a witness: a checkpoint that is signed while a witness has not responded yet is sent to it afterwards.
 */
export class WitnessRounds {
  private readonly ending = new AbortController();
  private readonly running = new Map<Witness, Promise<void>>();
  /** The checkpoint that was last sent to each witness. A log that lost events uses numbers again. */
  private readonly sent = new Map<Witness, string>();

  constructor(
    private readonly log: Pick<CheckpointLog, 'last'>,
    private readonly witnesses: readonly Witness[],
    private readonly cosigning: Pick<Cosigning, 'isDone' | 'cosign'>,
    private readonly events: WitnessEvents,
  ) {}

  /** Sends the newest checkpoint to the witnesses to which it was not sent yet. Returns before they respond. */
  async begin(): Promise<void> {
    const newest = this.witnesses.length === 0 ? undefined : await this.log.last();
    if (!newest) return;
    for (const witness of this.witnesses) {
      if (this.running.has(witness) || this.sent.get(witness) === newest.note) continue;
      this.sent.set(witness, newest.note);
      const round = this.round(witness, newest).finally(() => this.running.delete(witness));
      this.running.set(witness, round);
    }
  }

  /** Aborts the requests, and waits until they have ended. */
  async end(): Promise<void> {
    this.ending.abort();
    await Promise.all(this.running.values());
  }

  private async round(witness: Witness, checkpoint: Checkpoint): Promise<void> {
    const { signal } = this.ending;
    try {
      if (await this.cosigning.isDone(checkpoint, witness)) return;
      await this.cosigning.cosign(checkpoint, witness, signal);
      this.events.onCosigned(witness, checkpoint);
    } catch (error) {
      if (!signal.aborted) this.events.onAway(witness, checkpoint, error);
    }
  }
}
