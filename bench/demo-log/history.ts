import { draws } from './draws.js';
import { Endpoints } from './endpoints.js';
import { Lookups } from './lookups.js';
import { Numbering } from './numbering.js';
import { Partners } from './partners.js';
import { Population } from './population.js';
import { type NameOf, Reports } from './reports.js';
import { Round } from './round.js';

export interface HistoryOptions {
  /** Smallest number of events; settling the last charges adds a few. */
  readonly events: number;
  readonly seed: number;
  readonly nameOf: NameOf;
}

const START = Date.parse('2025-01-01T00:00:00.000Z');
const END = Date.parse('2026-09-30T00:00:00.000Z');
const ROUND_EVENTS = { min: 100, max: 4_000 };
const ROUNDS = 20;
/** Share of the history after which fees are raised. */
const FEE_RAISE_INTERVAL = 1 / 3;

/** Relative frequencies of the actions. With these, about every twentieth event registers a farmer. */
const WEIGHTS = { register: 1, lookUp: 7, report: 6, correct: 0.7, update: 0.8, endpoint: 0.004, erase: 0.02 } as const;
type Action = keyof typeof WEIGHTS;

/**
 * Generates a history of the ledger, round by round, with the service's own deciders. The same options generate the same events except
 * for the event ids. In memory are only the heads of wallets and endpoints, one byte per farmer and the newest reports.
 */
export function* history({ events, seed, nameOf }: HistoryOptions): Generator<Round> {
  const draw = draws(seed);
  const numbering = new Numbering(draw);
  const population = new Population(seed, draw);
  const partners = new Partners(draw, population, events);
  const lookups = new Lookups(draw, population);
  const reports = new Reports(draw, population, numbering, nameOf);
  const endpoints = new Endpoints(draw, numbering);
  const timeOf = (event: number): string => new Date(START + Math.floor((END - START) * Math.min(1, event / events))).toISOString();
  const actions: Readonly<Record<Action, (round: Round) => void>> = {
    register: (round) => {
      population.register(round);
    },
    lookUp: (round) => {
      lookups.lookUp(round, partners.pick());
    },
    report: (round) => {
      reports.report(round, partners.pick());
    },
    correct: (round) => {
      reports.correct(round);
    },
    update: (round) => {
      population.update(round);
    },
    erase: () => {
      population.scheduleErasure();
    },
    endpoint: (round) => {
      if (endpoints.hasAny) endpoints.change(round);
    },
  };
  const roundEvents = Math.max(ROUND_EVENTS.min, Math.min(ROUND_EVENTS.max, events / ROUNDS));
  let fees = 1;
  for (let generated = 0; generated < events;) {
    const round = new Round(generated, timeOf);
    lookups.release(round);
    population.erase(round);
    while (round.events < roundEvents && generated + round.events < events) {
      const share = (generated + round.events) / events;
      while (partners.isDue(share)) {
        const caller = partners.register(round);
        if (draw.chance(0.5)) endpoints.register(round, caller);
      }
      if (share > fees * FEE_RAISE_INTERVAL) {
        lookups.raiseFees(round);
        fees += 1;
      }
      actions[pickAction(draw.next())](round);
    }
    for (const caller of partners.all) lookups.settle(round, caller);
    generated += round.events;
    if (generated >= events) endpoints.disableAll(round);
    yield round;
  }
}

const ACTIONS = Object.entries(WEIGHTS) as [Action, number][];
const SUM = ACTIONS.reduce((sum, [, weight]) => sum + weight, 0);

function pickAction(point: number): Action {
  let left = point * SUM;
  for (const [action, weight] of ACTIONS) {
    left -= weight;
    if (left < 0) return action;
  }
  return 'register';
}
