import { type Network } from './network.js';
import { STREAM, type World } from './world.js';

const HOUR_MS = 3_600_000;
const FAILURE_WEIGHTS = {
  storm: 3,
  faultyStore: 3,
  hang: 2,
  outage: 2,
  partition: 2,
  kill: 4,
  pause: 3,
  clock: 2,
  databaseClock: 1,
  lag: 1,
  fault: 1,
  restart: 1,
  missingHistory: 1,
};

/** Schedules one temporary failure, mostly at the time of a burst of requests. */
export function scheduleFailure(world: World, horizonMs: number, bursts: readonly number[]): void {
  const { random, scheduler } = world;
  const network = random.pick([world.eventStoreNetwork, world.databaseNetwork]);
  const slot = random.between(0, world.instances.length - 1);
  const at = random.chance(0.6) ? random.pick(bursts) + random.between(0, 150) : random.between(0, horizonMs);
  const forSomeTime = (begin: () => void, end: () => void, longestMs: number): void => {
    scheduler.after(at, begin);
    scheduler.after(at + random.between(100, longestMs), end);
  };
  const kind = random.weighted(FAILURE_WEIGHTS);
  switch (kind) {
    case 'storm':
      forSomeTime(
        () => {
          set(world, network, 'stormy', true);
        },
        () => {
          set(world, network, 'stormy', false);
        },
        60_000,
      );
      return;
    case 'outage':
      forSomeTime(
        () => {
          set(world, network, 'down', true);
        },
        () => {
          set(world, network, 'down', false);
        },
        30_000,
      );
      return;
    case 'faultyStore':
      forSomeTime(
        () => {
          setFaultyStore(world, true);
        },
        () => {
          setFaultyStore(world, false);
        },
        60_000,
      );
      return;
    case 'hang':
      forSomeTime(
        () => {
          world.trace('the event store hangs');
          world.eventStoreNetwork.hang();
        },
        () => {
          world.trace('the event store goes on');
          world.eventStoreNetwork.goOn();
        },
        30_000,
      );
      return;
    case 'partition':
      forSomeTime(
        () => {
          partition(world, network, slot);
        },
        () => {
          heal(world, network);
        },
        90_000,
      );
      return;
    case 'kill':
      forSomeTime(
        () => {
          world.kill(slot);
        },
        () => {
          if (!world.instances[slot]) world.start(slot);
        },
        10_000,
      );
      return;
    case 'pause':
      pause(world, slot, forSomeTime);
      return;
    case 'clock': {
      const ms = random.pick([-HOUR_MS, HOUR_MS, 400 * 24 * HOUR_MS, -90_000, 90_000]);
      const process = world.instances[slot]?.process;
      const step = (by: number): void => {
        world.trace(`the clock of ${process?.name ?? 'no process'} steps by ${by} ms`);
        process?.clock.step(by);
      };
      scheduler.after(at, () => {
        step(ms);
      });
      if (random.chance(0.5))
        scheduler.after(at + random.between(100, 90_000), () => {
          step(-ms);
        });
      return;
    }
    case 'databaseClock': {
      // A step of more than a day would end the time for which stored responses are kept.
      const ms = random.pick([-HOUR_MS, HOUR_MS, -90_000, 90_000]);
      const step = (by: number): void => {
        world.trace(`the database's clock steps by ${by} ms`);
        world.databaseClockMs += by;
        world.hasWrongDatabaseClock = true;
      };
      forSomeTime(
        () => {
          step(ms);
        },
        () => {
          step(-ms);
        },
        90_000,
      );
      return;
    }
    case 'lag':
      forSomeTime(
        () => {
          world.readModels.lagMs = 8_000;
        },
        () => {
          world.readModels.lagMs = 40;
        },
        40_000,
      );
      return;
    case 'fault':
      forSomeTime(
        () => {
          setFaulted(world, true);
        },
        () => {
          setFaulted(world, false);
        },
        40_000,
      );
      return;
    case 'restart':
      scheduler.after(at, () => {
        closeAndRestart(world, slot);
      });
      return;
    case 'missingHistory':
      forSomeTime(
        () => {
          hide(world);
        },
        () => {
          show(world);
        },
        90_000,
      );
  }
}

function set(world: World, network: Network, what: 'stormy' | 'down', value: boolean): void {
  world.trace(`${network.name} is ${value ? '' : 'no longer '}${what}`);
  network[what] = value;
}

function setFaultyStore(world: World, faulty: boolean): void {
  world.trace(`the event store ${faulty ? 'elects a leader' : 'has a leader'}`);
  world.eventStore.faulty = faulty;
}

/** Hides events of the wallet: all (it is soft-deleted), the first ones ($tb), or the old ones ($maxAge). */
function hide(world: World): void {
  const events = BigInt(world.eventStore.events(STREAM).length);
  world.eventStore.hidden = world.random.pick([
    { beforeRevision: events },
    { beforeRevision: events / 2n },
    { beforeRevision: 1n },
    { olderThanMs: world.random.pick([50, 1_000, 10_000]) },
  ]);
  world.trace('events of the wallet are hidden');
}

function show(world: World): void {
  world.trace('events of the wallet are no longer hidden');
  world.eventStore.hidden = undefined;
}

function setFaulted(world: World, faulted: boolean): void {
  world.trace(`the read model of wallet entries ${faulted ? 'is faulted' : 'continues'}`);
  world.readModels.setEntriesFaulted(faulted);
}

function partition(world: World, network: Network, slot: number): void {
  const name = world.instances[slot]?.process.name;
  if (name === undefined) return;
  world.trace(`${name} cannot reach ${network.name}`);
  network.partitioned.add(name);
}

function heal(world: World, network: Network): void {
  world.trace(`every process can reach ${network.name}`);
  network.partitioned.clear();
}

/** Pauses a process, as SIGSTOP does: its connections stay open. */
function pause(world: World, slot: number, forSomeTime: (begin: () => void, end: () => void, longestMs: number) => void): void {
  forSomeTime(
    () => {
      const process = world.instances[slot]?.process;
      world.trace(`${process?.name ?? 'no process'} is paused`);
      process?.pause();
    },
    () => {
      world.trace('paused processes resume');
      for (const { process } of world.running) process.resume();
    },
    150_000,
  );
}

/** Shuts an instance down, with 30 s for its work in progress, and starts a new one. */
function closeAndRestart(world: World, slot: number): void {
  const instance = world.instances[slot];
  if (!instance) return;
  world.trace(`${instance.process.name} begins to shut down`);
  const ended = (): void => {
    if (world.instances[slot] !== instance) return;
    world.kill(slot);
    world.start(slot);
  };
  void instance.close().then(ended, ended);
  world.scheduler.after(30_000, ended);
}

/** Ends all failures and starts the missing instances. */
export function healEverything(world: World): void {
  for (const network of [world.eventStoreNetwork, world.databaseNetwork]) {
    network.down = false;
    network.stormy = false;
    network.partitioned.clear();
  }
  world.eventStore.faulty = false;
  world.eventStore.hidden = undefined;
  world.eventStoreNetwork.goOn();
  world.readModels.lagMs = 40;
  world.readModels.setEntriesFaulted(false);
  for (const { process } of world.running) process.resume();
  for (const slot of world.instances.keys()) if (!world.instances[slot]) world.start(slot);
  world.databaseClockMs = 0;
  for (const { process } of world.running) process.clock.correct();
}
