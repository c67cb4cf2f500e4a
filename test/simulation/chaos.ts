import { type Network } from './network.js';
import { type World } from './world.js';

const BREAKDOWNS = { storm: 3, outage: 2, partition: 2, kill: 4, stop: 2, lag: 1, fault: 1, restart: 1 };

/** One thing that goes wrong in a history, mostly when there is much to go wrong, and in the end goes right again. */
export function breakSomething(world: World, horizonMs: number, bursts: readonly number[]): void {
  const { random, scheduler } = world;
  const network = random.pick([world.eventStoreNetwork, world.databaseNetwork]);
  const place = random.between(0, world.instances.length - 1);
  const at = random.chance(0.6) ? random.pick(bursts) + random.between(0, 150) : random.between(0, horizonMs);
  const during = (begin: () => void, end: () => void, longestMs: number): void => {
    scheduler.after(at, begin);
    scheduler.after(at + random.between(100, longestMs), end);
  };
  const kind = random.weighted(BREAKDOWNS);
  switch (kind) {
    case 'storm':
      during(
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
      during(
        () => {
          set(world, network, 'down', true);
        },
        () => {
          set(world, network, 'down', false);
        },
        30_000,
      );
      return;
    case 'partition':
      during(
        () => {
          cutOff(world, network, place);
        },
        () => {
          heal(world, network);
        },
        90_000,
      );
      return;
    case 'kill':
      during(
        () => {
          world.kill(place);
        },
        () => {
          if (!world.instances[place]) world.start(place);
        },
        10_000,
      );
      return;
    case 'stop':
      stop(world, place, during);
      return;
    case 'lag':
      during(
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
      during(
        () => {
          fault(world, true);
        },
        () => {
          fault(world, false);
        },
        40_000,
      );
      return;
    case 'restart':
      scheduler.after(at, () => {
        closeAndRestart(world, place);
      });
  }
}

function set(world: World, network: Network, what: 'stormy' | 'down', value: boolean): void {
  world.trace(`${network.name} is ${value ? '' : 'no longer '}${what}`);
  network[what] = value;
}

function fault(world: World, faulted: boolean): void {
  world.trace(`the read model of wallet entries ${faulted ? 'stands still' : 'goes on'}`);
  world.readModels.faultEntries(faulted);
}

function cutOff(world: World, network: Network, place: number): void {
  const name = world.instances[place]?.process.name;
  if (name === undefined) return;
  world.trace(`${name} does not reach ${network.name}`);
  network.cutOff.add(name);
}

function heal(world: World, network: Network): void {
  world.trace(`everybody reaches ${network.name}`);
  network.cutOff.clear();
}

/** A machine that stands still for a while. */
function stop(world: World, place: number, during: (begin: () => void, end: () => void, longestMs: number) => void): void {
  during(
    () => {
      const process = world.instances[place]?.process;
      world.trace(`${process?.name ?? 'nobody'} stands still`);
      process?.stop();
    },
    () => {
      world.trace('whoever stood still goes on');
      for (const { process } of world.running) process.wake();
    },
    80_000,
  );
}

/** An orderly restart: it gets 30 s for what it has begun. */
function closeAndRestart(world: World, place: number): void {
  const instance = world.instances[place];
  if (!instance) return;
  world.trace(`${instance.process.name} is asked to end`);
  const ended = (): void => {
    if (world.instances[place] !== instance) return;
    world.kill(place);
    world.start(place);
  };
  void instance.close().then(ended, ended);
  world.scheduler.after(30_000, ended);
}

/** From here on nothing breaks any more. */
export function healEverything(world: World): void {
  for (const network of [world.eventStoreNetwork, world.databaseNetwork]) {
    network.down = false;
    network.stormy = false;
    network.cutOff.clear();
  }
  world.readModels.lagMs = 40;
  world.readModels.faultEntries(false);
  for (const { process } of world.running) process.wake();
  for (const place of world.instances.keys()) if (!world.instances[place]) world.start(place);
}
