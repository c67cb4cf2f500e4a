import Table from 'cli-table3';
import { isBusy, isLoaded, type Noise } from '../support/noise.js';
import { describeGoal, type Figure, verdictOn } from './figure.js';
import { number, percent, withSpread } from './numbers.js';
import { type RunReport, type ScenarioReport } from './run-report.js';

export const HEAD = ['What', 'Against', 'Here', 'There', 'Ratio', 'Goal', ''];

/** Cells of a figure, in the order of HEAD. */
export function cells(figure: Figure): string[] {
  const { ours, theirs, ratio, met } = verdictOn(figure);
  const { what, against, unit, goal } = figure;
  return [
    what,
    against,
    `${withSpread(ours)} ${unit}`,
    theirs ? withSpread(theirs) : '',
    ratio ? withSpread(ratio, (value) => value.toFixed(2)) : '',
    goal ? describeGoal(goal, unit) : '',
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ];
}

export function drawTable(report: RunReport): string {
  const table = new Table({
    head: HEAD,
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right', 'left'],
  });
  for (const { figures } of report.scenarios) table.push(...figures.map(cells));
  return [table.toString(), ...foot(report)].join('\n');
}

/** What has to be known of a run before its figures are believed. */
export function foot({ quick, machine, loadGenerator, loadPerCore, scenarios }: RunReport): string[] {
  const lines = [
    `Median (least – most) of the rounds; ratios round by round. ${machine.cores} cores of ${machine.processor}, ${number(machine.memoryGiB)} GiB, ${machine.system}, Node ${machine.node}; load by ${loadGenerator}.`,
    ...scenarios.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`)),
    ...scenarios.flatMap(madeAgainIn),
    ...scenarios.flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name} FAILED: ${failure}`])),
  ];
  if (quick) lines.push('Quick: smaller data, fewer and shorter rounds. These figures decide nothing.');
  const busy = scenarios.flatMap(busyIn);
  if (isLoaded(loadPerCore)) busy.unshift(`load average of ${number(loadPerCore)} per core before the run`);
  if (busy.length > 0) lines.push(`BUSY MACHINE: ${busy.join('; ')}. Measure again when it is quiet.`);
  return lines;
}

function madeAgainIn({ name, noise }: ScenarioReport): string[] {
  const times = noise.reduce((sum, { again = 0 }) => sum + again, 0);
  return times === 0 ? [] : [`${name}: measurements made again, since others were busy: ${times}; the disturbed ones do not count`];
}

function busyIn({ name, noise }: ScenarioReport): string[] {
  const busy = noise.filter(isBusy);
  if (busy.length === 0) return [];
  const most = (pick: (each: Noise) => number): string => percent(Math.max(...noise.map(pick)));
  return [
    `${name}: in ${busy.length} of ${noise.length} measurements others took up to ${most(({ others }) => others)} of all cores, and up to ${most(({ stolen }) => stolen)} was stolen`,
  ];
}

/** A median does not mind a few. */
const BUSY_SHARE_MAX = 0.2;

/** Whether it may stand for the service in the documentation. */
export function isGood({ quick, loadPerCore, scenarios }: RunReport): boolean {
  const isQuiet = (noise: readonly Noise[]): boolean => noise.filter(isBusy).length <= noise.length * BUSY_SHARE_MAX;
  return !quick && !isLoaded(loadPerCore) && scenarios.every(({ failure, noise }) => failure === undefined && isQuiet(noise));
}
