import { draws } from './draws.js';
import { Endpoints } from './endpoints.js';
import { Lookups } from './lookups.js';
import { Numbering } from './numbering.js';
import { Partners } from './partners.js';
import { Population } from './population.js';
import { type NameOf, Reports } from './reports.js';
import { Round } from './round.js';

export interface HistoryOptions {
  /** At least so many; a few more where the last charges are settled. */
  readonly events: number;
  readonly seed: number;
  readonly nameOf: NameOf;
}

const BEGINS = Date.parse('2025-01-01T00:00:00.000Z');
const ENDS = Date.parse('2026-09-30T00:00:00.000Z');
const ROUND_EVENTS = { least: 100, most: 4_000 };
const ROUNDS = 20;
/** Fees are raised whenever another such share of the history is told. */
const FEES_EVERY = 1 / 3;

/** How often each thing happens beside a farmer's registration: with it, a farmer comes about every twenty events. */
const OFTEN = { register: 1, lookUp: 3.4, report: 3, correct: 0.35, update: 0.4, endpoint: 0.002, leave: 0.02 } as const;
type Act = keyof typeof OFTEN;

/**
 * A history of the ledger, round by round, decided by the service's own deciders: the same options make the same events, but
 * for their ids. Of the past only heads of wallets and endpoints, a byte a farmer and the newest reports are kept.
 */
export function* history({ events, seed, nameOf }: HistoryOptions): Generator<Round> {
  const draw = draws(seed);
  const numbering = new Numbering(draw);
  const population = new Population(seed, draw);
  const partners = new Partners(draw, population, events);
  const lookups = new Lookups(draw, population);
  const reports = new Reports(draw, population, numbering, nameOf);
  const endpoints = new Endpoints(draw, numbering);
  const timeOf = (event: number): string => new Date(BEGINS + Math.floor((ENDS - BEGINS) * Math.min(1, event / events))).toISOString();
  const acts: Readonly<Record<Act, (round: Round) => void>> = {
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
    leave: () => {
      population.leave();
    },
    endpoint: (round) => {
      if (endpoints.some) endpoints.change(round);
    },
  };
  const roundEvents = Math.max(ROUND_EVENTS.least, Math.min(ROUND_EVENTS.most, events / ROUNDS));
  let fees = 1;
  for (let told = 0; told < events;) {
    const round = new Round(told, timeOf);
    lookups.release(round);
    population.erase(round);
    while (round.events < roundEvents && told + round.events < events) {
      const share = (told + round.events) / events;
      while (partners.isDue(share)) {
        const caller = partners.register(round);
        if (draw.chance(0.5)) endpoints.register(round, caller);
      }
      if (share > fees * FEES_EVERY) {
        lookups.raiseFees(round);
        fees += 1;
      }
      acts[pickAct(draw.next())](round);
    }
    for (const caller of partners.all) lookups.settle(round, caller);
    told += round.events;
    if (told >= events) endpoints.close(round);
    yield round;
  }
}

const ACTS = Object.entries(OFTEN) as [Act, number][];
const SUM = ACTS.reduce((sum, [, often]) => sum + often, 0);

function pickAct(point: number): Act {
  let left = point * SUM;
  for (const [act, often] of ACTS) {
    left -= often;
    if (left < 0) return act;
  }
  return 'register';
}
