import { type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { type FarmerRecord } from '../../src/contexts/farmers/domain/sections.js';
import { type FarmerState, type PutFarmer } from '../../src/contexts/farmers/domain/farmer.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { generateFarmer, rupaIdOf } from '../../src/cli/demo/generate-farmer.js';
import { generateCreditHistory, generateTransactions } from '../../src/cli/demo/generate-finances.js';
import { random } from '../../src/cli/demo/random.js';
import { type Draws } from './draws.js';
import { emptyHead, KINDS } from './kinds.js';
import { type Round } from './round.js';

const ACTOR = 'demo';
/** Every 16th farmer belongs to the sandbox, so that the mode follows from the number and needs no table. */
const SANDBOX_EVERY = 16;
const MAX_UPDATES = 4;
const KNOWN = 0.8;

/** Generates farmers. In memory are only one byte per farmer and the erased farmers; all other data is derived from seed and number. */
export class Population {
  private size = 0;
  private updates = new Uint8Array(1_024);
  private readonly erased = new Set<string>();
  /** Farmers to erase in the next round, so that all events about them come before the erasure. */
  private toErase: number[] = [];

  constructor(
    private readonly seed: number,
    private readonly draw: Draws,
  ) {}

  get registered(): number {
    return this.size;
  }

  /** Returns the number of farmers of a mode. */
  count(mode: Mode): number {
    const sandbox = Math.ceil(this.size / SANDBOX_EVERY);
    return mode === 'sandbox' ? sandbox : this.size - sandbox;
  }

  /** Returns the Rupa ID of the nth farmer of a mode, from 0. */
  rupaId(mode: Mode, n: number): string {
    return rupaIdOf(this.seed, mode === 'sandbox' ? n * SANDBOX_EVERY : n + Math.floor(n / (SANDBOX_EVERY - 1)) + 1);
  }

  register(round: Round): void {
    const index = this.size;
    round.farmers.push(rupaIdOf(this.seed, index));
    this.put(round, index, 0, emptyHead(KINDS.farmer));
    this.size += 1;
    if (this.size === this.updates.length) {
      const larger = new Uint8Array(this.size * 2);
      larger.set(this.updates);
      this.updates = larger;
    }
  }

  /** Updates the data of a random farmer, unless it was updated often enough. */
  update(round: Round): void {
    const index = this.draw.integer(0, this.size - 1);
    const done = this.updates[index] ?? 0;
    if (this.size === 0 || done === MAX_UPDATES || this.isErased(rupaIdOf(this.seed, index))) return;
    this.put(round, index, done + 1, this.headOf(index, done));
    this.updates[index] = done + 1;
  }

  /** Chooses a farmer to erase in the next round. From now on there are no lookups and reports of this farmer. */
  scheduleErasure(): void {
    if (this.size === 0) return;
    const index = this.draw.integer(0, this.size - 1);
    if (this.isErased(rupaIdOf(this.seed, index))) return;
    this.erased.add(rupaIdOf(this.seed, index));
    this.toErase.push(index);
  }

  erase(round: Round): void {
    for (const index of this.toErase.splice(0)) {
      const [rupa_id, head] = [rupaIdOf(this.seed, index), this.headOf(index, this.updates[index] ?? 0)];
      round.decide(
        KINDS.farmer,
        rupa_id,
        head,
        { kind: 'erase', rupa_id, at: round.now(), actor: 'admin' },
        { correlationId: this.draw.uuid(), mode: modeOf(index) },
      );
    }
  }

  isErased(rupaId: string): boolean {
    return this.erased.has(rupaId);
  }

  private put(round: Round, index: number, version: number, head: Head<FarmerState>): void {
    const command = this.command(index, version, round.now());
    const mode = modeOf(index);
    round.decide(KINDS.farmer, command.rupa_id, head, command, { correlationId: this.draw.uuid(), mode });
  }

  private command(index: number, version: number, at: string): PutFarmer {
    return { kind: 'put', rupa_id: rupaIdOf(this.seed, index), mode: modeOf(index), record: this.record(index, version), at, actor: ACTOR };
  }

  private record(index: number, version: number): Partial<FarmerRecord> {
    if (version === 0) {
      const { rupa_id, mode, ...record } = generateFarmer(this.seed, index, modeOf(index));
      return record;
    }
    const draw = random(this.seed + version, index);
    return version % 2 === 1 ? { credit_history: generateCreditHistory(draw, KNOWN) } : { transaction_volume: generateTransactions(draw) };
  }

  /** Computes the head of a farmer by deciding its commands again. Their times are not known any more, but are not part of the state. */
  private headOf(index: number, updates: number): Head<FarmerState> {
    let { state, revision } = emptyHead(KINDS.farmer);
    const { decide, evolve } = KINDS.farmer.decider;
    for (let version = 0; version <= updates; version += 1) {
      for (const event of decide(this.command(index, version, ''), state)) {
        revision += 1n;
        state = evolve(state, { ...event, revision });
      }
    }
    return { state, revision, hash: undefined };
  }
}

function modeOf(index: number): Mode {
  return index % SANDBOX_EVERY === 0 ? 'sandbox' : 'live';
}
