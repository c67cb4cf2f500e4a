/** Draws the charts of a page, which the elements with `data-chart` describe (src/console/components/live.tsx). */
import type uPlot from 'uplot';

interface Described {
  readonly times: number[];
  readonly lines: readonly { readonly label: string; readonly values: (number | null)[] }[];
  readonly unit: 'naira' | 'count' | 'seconds';
  readonly stepped: boolean;
}

const HEIGHT = 180;
/** Space before and after a single value, for which a chart would choose years. */
const HALF_HOUR_SECONDS = 1_800;
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

function draw(element: HTMLElement): void {
  drawn.get(element)?.destroy();
  const { times, lines, unit, stepped } = JSON.parse(element.dataset.chart ?? '{}') as Described;
  const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { stroke: color('--line'), width: 1 } };
  const stepping = stepped && Plot.paths.stepped ? { paths: Plot.paths.stepped({ align: 1 }) } : {};
  const chart = new Plot(
    {
      width: Math.max(element.clientWidth, 200),
      height: HEIGHT,
      tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), 'UTC'),
      scales: {
        x: { range: (_chart, first, last) => (last > first ? [first, last] : [first - HALF_HOUR_SECONDS, first + HALF_HOUR_SECONDS]) },
        y: { range: (_chart, low, high) => [Math.min(low, 0), Math.max(high, 1) * 1.05] },
      },
      axes: [axis, { ...axis, size: 64, values: (_chart, values) => values.map((value) => short(value, unit)) }],
      series: [
        { label: 'UTC' },
        ...lines.map(({ label }, index) => ({
          label,
          stroke: color(COLORS[index % COLORS.length] ?? '--line-1'),
          width: 2,
          points: { show: times.length < 3 },
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
}

let waiting: number | undefined;
addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = window.setTimeout(drawAll, 150);
});
document.addEventListener('rupa:changed', drawAll);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
drawAll();
