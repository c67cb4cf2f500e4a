import { describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeGoal, type Figure, verdictOn, withFullLabels } from './figure.js';
import { BEGIN, END, keep, replaced, summary, wholeRun } from './keep.js';
import { number, withSpread } from './numbers.js';
import { scenarios } from '../scenarios/index.js';
import { type RunReport, type ScenarioReport } from './run-report.js';
import { cells, notesOn, isGood, summaryRows } from './table.js';

const figure: Figure = {
  label: 'lookups',
  baseline: 'peer',
  unit: '/s',
  ours: [300, 200, 420],
  theirs: [100, 100, 140],
  goal: { of: 'ratio', min: 2 },
};
const scenario: ScenarioReport = {
  name: 'lookups',
  figures: [figure],
  series: [],
  notes: ['a note'],
  noise: [{ others: 0.01, stolen: 0 }],
  seconds: 1,
};
const report: RunReport = {
  at: '2026-01-02T03:04:05.000Z',
  quick: false,
  commit: 'abc',
  machine: { cores: 2, processor: 'x', memoryGiB: 8, system: 'linux', node: '24' },
  loadGenerator: 'wrk',
  loadPerCore: 0,
  scenarios: [scenario],
};

describe('a verdict', () => {
  it('compares the median of the ratios of the rounds with the goal', () => {
    expect(verdictOn(figure)).toStrictEqual({
      ours: { median: 300, min: 200, max: 420 },
      theirs: { median: 100, min: 100, max: 140 },
      ratio: { median: 3, min: 2, max: 3 },
      met: true,
    });
    expect(verdictOn({ ...figure, goal: { of: 'ratio', max: 1 } }).met).toBe(false);
  });

  it('compares the value with the goal if there is no baseline', () => {
    const lag: Figure = { ...figure, unit: 'ms', theirs: [], goal: { of: 'value', max: 250 } };
    expect(verdictOn(lag)).toMatchObject({ ratio: undefined, theirs: undefined, met: false });
    expect(verdictOn({ ...lag, ours: [10] }).met).toBe(true);
    expect(verdictOn({ ...lag, ours: [NaN] }).met).toBe(false);
  });

  it('is undefined without a goal', () => {
    const { goal, ...without } = figure;
    expect(goal).toBeDefined();
    expect(verdictOn(without).met).toBeUndefined();
  });
});

describe('the table', () => {
  it('shows medians and spreads', () => {
    expect(cells(figure)).toStrictEqual([
      'lookups',
      'peer',
      '300 (200 – 420) /s',
      '100 (100 – 140)',
      '3.00 (2.00 – 3.00)',
      '≥ 2.0 ×',
      'met',
    ]);
    expect(describeGoal({ of: 'value', max: 250 }, 'ms')).toBe('≤ 250 ms');
    expect([number(1_234.5), number(12.34), number(1.234)]).toStrictEqual(['1,235', '12.3', '1.23']);
    expect(withSpread({ median: 1, min: 1, max: 1 })).toBe('1.00');
  });

  it('has notes on how reliable the figures are', () => {
    expect(notesOn(report).join('\n')).not.toMatch(/BUSY|Quick|FAILED/);
    expect(notesOn({ ...report, quick: true }).join('\n')).toContain('Quick run');
    expect(notesOn({ ...report, eventStore: 'node1:2113, version 24.6.0' })).toContain(
      'Event store of the service: node1:2113, version 24.6.0.',
    );
    expect(notesOn({ ...report, loadPerCore: 2 }).join('\n')).toContain('BUSY MACHINE: load average of 2.00 per core');
    const noisy = {
      ...scenario,
      noise: [
        { others: 0.4, stolen: 0.1 },
        { others: 0, stolen: 0 },
      ],
    };
    expect(notesOn({ ...report, scenarios: [noisy] }).join('\n')).toContain(
      'lookups: in 1 of 2 measurements other programs took up to 40 % of all cores, and up to 10 % was steal time',
    );
    expect(notesOn(report).join('\n')).not.toContain('repeated');
    const repeated = {
      ...scenario,
      noise: [
        { others: 0, stolen: 0, repetitions: 2 },
        { others: 0, stolen: 0 },
        { others: 0, stolen: 0, repetitions: 1 },
      ],
    };
    expect(notesOn({ ...report, scenarios: [repeated] }).join('\n')).toContain(
      'lookups: measurements repeated because other programs used the machine: 3',
    );
    expect(notesOn({ ...report, scenarios: [{ ...scenario, failure: 'broken' }] }).join('\n')).toContain('lookups FAILED: broken');
  });
});

describe('the summary of a scenario', () => {
  const p99: Figure = { ...figure, label: '… p99 latency', unit: 'ms', ours: [3, 1, 2], theirs: [1, 1, 1], goal: { of: 'ratio', max: 1 } };

  it('has a line per goal, with medians only', () => {
    const { goal, ...without } = { ...figure, label: 'for information' };
    expect(goal).toBeDefined();
    expect(summaryRows({ ...scenario, figures: [figure, without, p99] })).toStrictEqual([
      ['`lookups`', 'lookups', 'peer', '300 /s', '3.00 ×', '≥ 2.0 ×', 'met'],
      ['`lookups`', 'for information … p99 latency', 'peer', '2.00 ms', '2.00 ×', '≤ 1.0 ×', 'MISSED'],
    ]);
    const bytes: Figure = { ...figure, unit: 'bytes', ours: [1_077], theirs: [], baseline: '', goal: { of: 'value', max: 1_200 } };
    expect(summaryRows({ ...scenario, figures: [bytes] })).toStrictEqual([
      ['`lookups`', 'lookups', '', '1,077 bytes', '', '≤ 1200 bytes', 'met'],
    ]);
  });

  it('names the row to which a dependent figure belongs', () => {
    const labelled = (label: string): Figure => ({ ...figure, label });
    const labels = ['first: data file', '… tables', 'second', '… p99 latency', '… CPU'].map(labelled);
    expect(withFullLabels(labels).map(({ label }) => label)).toStrictEqual([
      'first: data file',
      'first … tables',
      'second',
      'second … p99 latency',
      'second … CPU',
    ]);
  });
});

describe('the page of the documentation', () => {
  it('takes only whole runs on idle machines', () => {
    expect(isGood(report)).toBe(true);
    expect(isGood({ ...report, quick: true })).toBe(false);
    expect(isGood({ ...report, eventStore: 'node1:2113, version 24.6.0' })).toBe(false);
    expect(isGood({ ...report, loadPerCore: 2 })).toBe(false);
    expect(isGood({ ...report, scenarios: [{ ...scenario, failure: 'broken' }] })).toBe(false);
    expect(isGood({ ...report, scenarios: [{ ...scenario, noise: [{ others: 0.4, stolen: 0 }] }] })).toBe(false);
    const oneOfTen = Array.from({ length: 10 }, (_, index) => ({ others: index === 0 ? 0.4 : 0, stolen: 0 }));
    expect(isGood({ ...report, scenarios: [{ ...scenario, noise: oneOfTen }] })).toBe(true);
  });

  it('changes only between its markers', () => {
    const page = `before\n${BEGIN}\nold\n${END}\nafter\n`;
    expect(replaced(page, 'new')).toBe(`before\n${BEGIN}\nnew\n${END}\nafter\n`);
    expect(replaced(replaced(page, 'newer'), 'new')).toBe(replaced(page, 'new'));
    expect(() => replaced('no markers', 'new')).toThrow('The page has no line');
  });

  it('gets the summary, and the file beside it the whole run', () => {
    const noisy = { ...report, scenarios: [{ ...scenario, noise: [{ others: 0.4, stolen: 0 }] }] };
    const plots = ['ratios.svg', 'lag.svg'];
    const [short, long] = [summary(noisy, plots), wholeRun(noisy, plots)];
    for (const text of [short, long]) {
      expect(text).toContain('Measured on 2026-01-02 at commit abc.');
      expect(text).toContain('- BUSY MACHINE');
    }
    expect(short).toContain('| `lookups` | lookups | peer | 300 /s | 3.00 × | ≥ 2.0 × | met |');
    expect(short).not.toContain('a note');
    expect(short.match(/!\[.*\)/g)).toStrictEqual(['![ratios](performance/ratios.svg)']);
    expect(long).toContain('| lookups | peer | 300 (200 – 420) /s | 100 (100 – 140) | 3.00 (2.00 – 3.00) | ≥ 2.0 × | met |');
    expect(long).toContain('- lookups: a note');
    expect(long.match(/!\[.*\)/g)).toStrictEqual(['![ratios](ratios.svg)', '![lag](lag.svg)']);
    expect(summary(report, [])).not.toMatch(/BUSY|!\[/);
  });

  it('is of the same run as that file in this repository', async () => {
    const about = /^Measured on \S+ at commit [^.]+\./m;
    const page = await readFile('docs/performance.md', 'utf8');
    const [first] = about.exec(page.slice(page.indexOf(BEGIN), page.indexOf(END))) ?? [];
    expect(first).toBeDefined();
    expect(about.exec(await readFile('docs/performance/last-run.md', 'utf8'))?.[0]).toBe(first);
  });

  it('is written together with that file, or not at all', async () => {
    const docs = await mkdtemp(join(tmpdir(), 'docs-'));
    const page = join(docs, 'performance.md');
    try {
      await writeFile(page, 'no markers');
      await expect(keep(report, docs)).rejects.toThrow('The page has no line');
      expect(await readdir(docs)).toStrictEqual(['performance.md']);
      await writeFile(page, `before\n${BEGIN}\n${END}\nafter\n`);
      const whole = join(docs, 'performance', 'last-run.md');
      expect(await keep(report, docs)).toStrictEqual([page, whole]);
      expect(await readFile(page, 'utf8')).toBe(`before\n${BEGIN}\n${summary(report, ['ratios.svg'])}\n${END}\nafter\n`);
      expect(await readFile(whole, 'utf8')).toBe(wholeRun(report, ['ratios.svg']));
      expect((await readdir(join(docs, 'performance'))).toSorted()).toStrictEqual(['last-run.md', 'ratios.svg']);
    } finally {
      await rm(docs, { recursive: true });
    }
  });
});

describe('the reference of the benchmark', () => {
  it('describes every scenario that can be run, and no other', async () => {
    const method = await readFile('docs/performance/method.md', 'utf8');
    const described = [...method.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(described.toSorted()).toStrictEqual(scenarios.map(({ name }) => name).toSorted());
  });
});
