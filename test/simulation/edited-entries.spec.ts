import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { walletEntryProjection, type WalletEntryRow } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { type WalletDebited, type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { Rejection } from '../../src/platform/event-sourcing/decider.js';
import { type RecordedEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { RowForged } from '../../src/platform/projecting/row-macs.js';
import { chainUnbroken } from '../support/ledger-invariants.js';
import { rounds } from '../support/length.js';
import { ANY_PRICES } from '../support/unit/wallet-history.js';
import { FakeReply } from './fake-reply.js';
import { type Instance } from './instance.js';
import { STREAM, World } from './world.js';

const INSTANCES = 2;
/** Longer than the delay of a settlement, and than the lag of the read models. */
const SETTLED_MS = 3_000;
const DONE_MS = 60_000;

type Change = (instance: Instance, world: World) => Promise<{ readonly created: boolean }>;
type Edit = (rows: WalletEntryRow[], which: number) => void;

/** Each of them may happen once: the second time it is answered without an entry, or rejected. */
const CHANGES: Readonly<Record<string, Change>> = {
  'credit r1': (instance) => instance.credit(500, 'r1', 'payment'),
  'credit r2': (instance) => instance.credit(300, 'r2', 'goodwill'),
  'credit v1': (instance) => instance.credit(100, 'v1', 'payment'),
  'reverse r1 by v1': (instance) => instance.reverse('r1', 200, 'v1'),
  'reverse the rest of r1 by v2': (instance) => instance.reverse('r1', null, 'v2'),
  'pay out by p1': (instance) => instance.payOut(50, 'p1'),
  'compensate the first lookup': (instance, world) => instance.compensate(lookupOf(world, 0)),
  'compensate the newest lookup': (instance, world) => instance.compensate(lookupOf(world, -1)),
};

/** Changes that somebody with the database's password may make to the rows. */
const EDITS: Readonly<Record<string, Edit>> = {
  'delete a row': (rows, which) => void rows.splice(which, 1),
  'delete all rows': (rows) => void rows.splice(0),
  'edit a reference': (rows, which) => {
    edit(rows, which, ({ reference }) => ({ reference: reference === 'r1' ? 'r2' : 'r1' }));
  },
  'edit the reversed credit': (rows, which) => {
    edit(rows, which, () => ({ credit_reference: 'r9' }));
  },
  'edit a lookup': (rows, which) => {
    edit(rows, which, () => ({ lookup_id: rows[0]?.lookup_id ?? 'l9' }));
  },
  'edit a type': (rows, which) => {
    edit(rows, which, ({ type }) => ({ type: type === 'RefundIssued' ? 'LookupCompensated' : 'RefundIssued' }));
  },
  'edit an amount': (rows, which) => {
    edit(rows, which, ({ amount_kobo }) => ({ amount_kobo: amount_kobo * 10 }));
  },
  'give a row to another partner': (rows, which) => {
    edit(rows, which, () => ({ partner_id: 'p2' }));
  },
  'exchange a row with the first one': (rows, which) => {
    const [first, row] = [rows[0], rows[which]];
    if (first && row)
      [rows[0], rows[which]] = [
        { ...row, revision: first.revision },
        { ...first, revision: row.revision },
      ];
  },
  'add a row': (rows, which) => {
    const row = rows[which];
    if (row) rows.push({ ...row, revision: row.revision + 1_000, reference: 'r1' });
  },
};

function edit(rows: WalletEntryRow[], which: number, change: (row: WalletEntryRow) => Partial<WalletEntryRow>): void {
  const row = rows[which];
  if (row) rows[which] = { ...row, ...change(row) };
}

function lookupOf(world: World, which: number): string {
  const debit = world.entries.filter(({ type }) => type === 'WalletDebited').at(which) as RecordedEvent<WalletDebited> | undefined;
  return debit?.data.lookup_id ?? 'none';
}

function instanceOf(world: World, slot: number): Instance {
  const instance = world.instances[slot];
  if (!instance) throw new Error(`No instance is running in the slot ${slot}.`);
  return instance;
}

async function done<T>(world: World, work: Promise<T>): Promise<T> {
  const state = { isDone: false };
  const ended = (): void => {
    state.isDone = true;
  };
  work.then(ended, ended);
  for (let passed = 0; !state.isDone && passed < DONE_MS; passed += 500) await world.scheduler.runUntil(world.scheduler.now + 500);
  return await work;
}

/** Starts a process without states in its memory. */
function restart(world: World, slot: number): void {
  world.kill(slot);
  world.start(slot);
  for (const { process } of world.running) process.clock.correct();
}

async function lookUp(world: World, slot: number): Promise<void> {
  const reply = new FakeReply(() => undefined);
  await done(world, instanceOf(world, slot).lookUp({ rupa_id: 'rp-1', source: 'loan' }, undefined, reply));
}

async function settle(world: World): Promise<void> {
  await world.scheduler.runUntil(world.scheduler.now + SETTLED_MS);
}

function rebuild(world: World): void {
  const rows = world.entries.map((event) => {
    const recorded = event as unknown as RecordedEvent<WalletEvent>;
    return walletEntryProjection.handler(event.type)?.apply(null, recorded, {}, [null]) as WalletEntryRow;
  });
  world.readModels.entries.splice(0, Infinity, ...rows);
}

/** Returns what came of a change. An edited table may only make the service refuse it. */
async function outcomeOf(world: World, slot: number, name: string): Promise<'created' | 'repeated' | 'rejected' | 'refused'> {
  try {
    const { created } = await done(world, CHANGES[name]?.(instanceOf(world, slot), world) ?? Promise.reject(new Error(name)));
    return created ? 'created' : 'repeated';
  } catch (error) {
    if (error instanceof RowForged) return 'refused';
    if (error instanceof Rejection) return 'rejected';
    throw error;
  }
}

const slot = fc.nat(INSTANCES - 1);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('change' as const), slot, name: fc.constantFrom(...Object.keys(CHANGES)) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('look up' as const, 'look up and refund' as const, 'restart' as const), slot }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), name: fc.constantFrom(...Object.keys(EDITS)), which: fc.nat(20) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Drawn> ? Drawn : never;

async function run(world: World, each: Step): Promise<void> {
  switch (each.kind) {
    case 'change':
      await outcomeOf(world, each.slot, each.name);
      break;
    case 'look up':
      await lookUp(world, each.slot);
      await settle(world);
      break;
    case 'look up and refund':
      await lookUp(world, each.slot);
      await done(world, instanceOf(world, each.slot).refund(lookupOf(world, -1)));
      await settle(world);
      break;
    case 'restart':
      await settle(world);
      restart(world, each.slot);
      break;
    case 'edit':
      await settle(world);
      if (world.readModels.entries.length > 0) EDITS[each.name]?.(world.readModels.entries, each.which % world.readModels.entries.length);
      break;
    case 'rebuild':
      await settle(world);
      rebuild(world);
  }
}

const faults = (world: World): unknown[] => [
  ...chainUnbroken({ stream: STREAM, entries: world.entries }, '2026-12-01T00:00:00.000Z', ANY_PRICES),
  ...world.faults,
];

describe('a wallet of which somebody edits the rows with the database’s password', () => {
  it('records nothing twice, and goes on once its rows are rebuilt', async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const world = new World(1);
      for (let started = 0; started < INSTANCES; started += 1) restart(world, started);
      for (const each of steps) await run(world, each);
      await settle(world);
      expect(faults(world)).toStrictEqual([]);
      rebuild(world);
      restart(world, 0);
      const recorded: string[] = [];
      for (const name of Object.keys(CHANGES)) {
        const outcome = await outcomeOf(world, 0, name);
        expect([name, outcome]).not.toContain('refused');
        if (outcome !== 'rejected') recorded.push(name);
      }
      for (const name of recorded) expect([name, await outcomeOf(world, 1, name)]).toStrictEqual([name, 'repeated']);
      expect(faults(world)).toStrictEqual([]);
    });
    await fc.assert(property, { numRuns: rounds('EDITED_RUNS', { short: 100, long: 1_000 }) });
  }, 3_600_000);
});
