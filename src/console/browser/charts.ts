/** Draws the charts of a page, which the elements with `data-chart` describe (src/console/components/live.tsx). */
import type uPlot from 'uplot';

interface Described {
  readonly times: number[];
  readonly lines: readonly { readonly label: string; readonly values: (number | null)[] }[];
  readonly unit: 'naira' | 'count' | 'seconds';
  readonly stepped: boolean;
}

const HEIGHT = 180;
/** Seconds that a chart shows at least. For a single value it would choose years. */
const SHORTEST = 60;
const DAY = 86_400;
/** Seconds between two labels of time. */
const STEPS = [
  1,
  5,
  10,
  15,
  30,
  60,
  300,
  600,
  900,
  1_800,
  3_600,
  7_200,
  21_600,
  43_200,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  91 * DAY,
  365 * DAY,
];
const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4'];
/** The path at which the service serves it. It is computed, because no such file exists where types are checked. */
const PLOT_PATH = ['/console/assets', 'uplot.js'].join('/');
const { default: Plot } = (await import(PLOT_PATH)) as { default: typeof uPlot };
const drawn = new Map<HTMLElement, uPlot>();

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function formatted(value: number | null, unit: Described['unit']): string {
  if (value == null) return '–';
  if (unit === 'naira') return `₦${value.toLocaleString('en-NG', { maximumFractionDigits: 2 })}`;
  return `${value.toLocaleString('en-NG')}${unit === 'seconds' ? ' s' : ''}`;
}

function short(value: number, unit: Described['unit']): string {
  const text = value.toLocaleString('en-NG', { notation: 'compact', maximumFractionDigits: 1 });
  return unit === 'naira' ? `₦${text}` : text;
}

/** Returns a time in UTC, as the tables show it. */
function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns the labels of times that are `step` seconds apart: days, or the time of day with the day below the first and at midnight. */
function timeLabels(times: readonly number[], step: number): string[] {
  if (step >= DAY) return times.map((seconds) => timeText(seconds).slice(0, 10));
  return times.map((seconds, index) => {
    const [day = '', time = ''] = timeText(seconds).split(' ');
    const label = step < 60 ? time : time.slice(0, 5);
    return index === 0 || time === '00:00:00' ? `${label}\n${day}` : label;
  });
}

/** Returns the times that a chart shows. @param shown what the person has selected, or all */
function shownRange(times: readonly number[], shown: readonly [number, number]): [number, number] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const middle = (first + last) / 2;
  return last - first < SHORTEST ? [middle - SHORTEST / 2, middle + SHORTEST / 2] : [...shown];
}

/** Returns the values with an unknown one before and after them, which no line would show. */
function alone(values: readonly (number | null)[]): number[] {
  return values.flatMap((value, index) => (value !== null && values[index - 1] == null && values[index + 1] == null ? [index] : []));
}

/** Makes the table of a chart, newest first, while a person has it open. A newer chart comes with a table that is not made yet. */
function tabulate(details: HTMLDetailsElement): void {
  const made = details.querySelector('.table');
  if (!details.open) made?.remove();
  const chart = details.parentElement?.querySelector<HTMLElement>('[data-chart]');
  if (!details.open || made || !chart) return;
  const { times, lines, unit } = describedBy(chart);
  const frame = document.createElement('div');
  frame.className = 'table values';
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', details.querySelector('summary')?.textContent ?? '');
  const table = frame.appendChild(document.createElement('table'));
  const head = table.createTHead().insertRow();
  for (const [index, text] of ['From (UTC)', ...lines.map(({ label }) => label)].entries()) {
    const cell = head.appendChild(document.createElement('th'));
    cell.scope = 'col';
    cell.textContent = text;
    if (index > 0) cell.className = 'numeric';
  }
  const body = table.createTBody();
  for (const [index, seconds] of [...times.entries()].reverse()) {
    const row = body.insertRow();
    row.insertCell().textContent = timeText(seconds);
    for (const { values } of lines) {
      const cell = row.insertCell();
      cell.className = 'numeric';
      cell.textContent = formatted(values[index] ?? null, unit);
    }
  }
  details.append(frame);
}

function describedBy(element: HTMLElement): Described {
  return JSON.parse(element.dataset.chart ?? '{}') as Described;
}

function draw(element: HTMLElement): void {
  if (drawn.has(element) && element.dataset.drawn === String(element.clientWidth) + color('--ink')) return;
  drawn.get(element)?.destroy();
  element.dataset.drawn = String(element.clientWidth) + color('--ink');
  const { times, lines, unit, stepped } = describedBy(element);
  const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { stroke: color('--line'), width: 1 } };
  const stepping = stepped && Plot.paths.stepped ? { paths: Plot.paths.stepped({ align: 1 }) } : {};
  const chart = new Plot(
    {
      width: Math.max(element.clientWidth, 200),
      height: HEIGHT,
      tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), 'UTC'),
      scales: {
        x: { range: (_chart, first, last) => shownRange(times, [first, last]) },
        y: { range: (_chart, low, high) => [Math.min(low, 0), Math.max(high, 1) * 1.05] },
      },
      axes: [
        { ...axis, incrs: STEPS, space: 80, values: (_chart, each, _axis, _space, step) => timeLabels(each, step) },
        { ...axis, size: 64, values: (_chart, values) => values.map((value) => short(value, unit)) },
      ],
      series: [
        { label: 'UTC', value: (_chart: uPlot, seconds: number | null) => (seconds == null ? '–' : timeText(seconds)) },
        ...lines.map(({ label, values }, index) => ({
          label,
          stroke: color(COLORS[index % COLORS.length] ?? '--line-1'),
          width: 2,
          points: { show: times.length < 3, filter: () => (times.length < 3 ? null : alone(values)) },
          value: (_chart: uPlot, value: number | null) => formatted(value, unit),
          ...stepping,
        })),
      ],
    },
    [times, ...lines.map(({ values }) => values)],
    element,
  );
  drawn.set(element, chart);
}

function drawAll(): void {
  for (const [element, chart] of drawn) {
    if (element.isConnected) continue;
    chart.destroy();
    drawn.delete(element);
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-chart]')) draw(element);
  for (const details of document.querySelectorAll<HTMLDetailsElement>('[data-values]')) {
    tabulate(details);
    details.ontoggle = () => {
      tabulate(details);
    };
  }
}

let waiting: number | undefined;
addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = window.setTimeout(drawAll, 150);
});
document.addEventListener('rupa:changed', drawAll);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
drawAll();
