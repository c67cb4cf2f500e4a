import { Injectable } from '@nestjs/common';
import { CheckpointLog } from '../checkpoints/checkpoint-log.js';
import { type WitnessesView, type WitnessStateView } from '../log-browser/log-events.dto.js';
import { Cosignatures } from './cosignature-table.js';
import { type Witness } from './witness.js';

/** Reads which checkpoint each witness cosigned last, from the stored cosignatures. */
@Injectable()
export class WitnessStates {
  constructor(
    private readonly log: CheckpointLog,
    private readonly cosignatures: Cosignatures,
  ) {}

  async read(): Promise<WitnessesView> {
    const newest = (await this.log.last())?.number ?? null;
    const witnesses = await Promise.all(this.cosignatures.witnesses.map((witness) => this.stateOf(witness, newest ?? 0)));
    return { newest_number: newest, witnesses };
  }

  private async stateOf(witness: Witness, newest: number): Promise<WitnessStateView> {
    const { name, key } = witness;
    const number = await this.cosignatures.lastNumber(witness);
    const checkpoint = number === undefined ? undefined : await this.log.find(number);
    const valid = checkpoint && (await this.cosignatures.of(checkpoint)).find((each) => each.witness === name);
    const identity = { name, key: `${key.name}+${key.id}` };
    if (!checkpoint || !valid)
      return { ...identity, state: 'never', last_number: null, last_tree_size: null, last_at: null, behind: newest };
    const behind = Math.max(newest - checkpoint.number, 0);
    const last = { last_number: checkpoint.number, last_tree_size: checkpoint.tree_size, last_at: valid.at };
    return { ...identity, state: behind === 0 ? 'current' : 'behind', ...last, behind };
  }
}
