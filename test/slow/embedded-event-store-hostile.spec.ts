import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { footprintOf, untilShrunk } from '../support/hostile/footprint.js';
import { frameAttacks } from '../support/hostile/frame-attacks.js';
import { openRaw } from '../support/hostile/raw-socket.js';
import { Witness } from '../support/hostile/witness.js';
import { Random } from '../support/random.js';

const ROUNDS = Number(process.env.HOSTILE_ROUNDS ?? 4);
const SEED = Number(process.env.HOSTILE_SEED ?? Date.now() % 1e6);

describe(`a hostile connection to the embedded event store (HOSTILE_SEED=${SEED})`, () => {
  const random = new Random(SEED);
  let store: EventStoreProcess;
  let witness: Witness;

  beforeAll(async () => {
    // With a heap this small, a leak crashes the store.
    store = await startEventStoreProcess(['--max-old-space-size=128']);
    witness = new Witness(store.connectionString);
  });
  afterAll(() => store.close());

  /** Attacks the store, and resolves once the store has closed the connection. */
  async function attack(name: string): Promise<void> {
    const socket = await openRaw(store.port);
    await frameAttacks[name]?.(socket, random);
    socket.socket.end();
    await socket.closedOr(() => false);
  }

  it.each(Object.keys(frameAttacks))('with %s is closed, while others are served', async (name) => {
    for (let round = 0; round < ROUNDS; round += 1) await attack(name);
    await witness.isServed();
  });

  it('leaves no memory or handles in use', async () => {
    const names = Object.keys(frameAttacks);
    for (const name of names) await attack(name);
    const before = footprintOf(store.pid);
    for (let round = 0; round < ROUNDS; round += 1) for (const name of names) await attack(name);
    expect((await untilShrunk(store.pid, before, () => witness.isServed())).bytes).toBeGreaterThan(0);
  });
});
