import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { type Figure, verdictOn, withFullLabels } from './figure.js';
import { type RunReport, type Series } from './run-report.js';

/** File name of the plot of all ratios that have a goal. */
export const RATIOS = 'ratios.svg';
const WIDTH = 640;

/** Draws the plots of a run. Returns SVG texts by file name. */
export async function plotsOf({ scenarios }: RunReport): Promise<Map<string, string>> {
  const plots = new Map<string, string>();
  const figures = scenarios.flatMap((scenario) => scenario.figures);
  if (figures.some(({ goal }) => goal?.of === 'ratio')) plots.set(RATIOS, await draw(ratiosSpec(figures)));
  for (const { name, series } of scenarios) {
    for (const [index, each] of series.entries())
      plots.set(`${name}${index === 0 ? '' : `-${index + 1}`}.svg`, await draw(seriesSpec(each)));
  }
  return plots;
}

/** Plots each ratio that has a goal: minimum, median and maximum of the rounds, and the goal. */
function ratiosSpec(figures: readonly Figure[]): TopLevelSpec {
  const values = withFullLabels(figures).flatMap((figure) => {
    const { ratio, met } = verdictOn(figure);
    if (!ratio || figure.goal?.of !== 'ratio') return [];
    const goal = 'min' in figure.goal ? figure.goal.min : figure.goal.max;
    return [
      {
        name: `${figure.label}, ${figure.baseline}`,
        goal,
        ...ratio,
        verdict: met ? 'met' : 'missed',
      },
    ];
  });
  const y = { field: 'name', type: 'nominal', sort: null, title: null, axis: { labelLimit: 360 } } as const;
  const x = { type: 'quantitative', scale: { type: 'log' }, title: 'ratio (logarithmic); the tick marks the goal' } as const;
  const color = {
    field: 'verdict',
    type: 'nominal',
    title: null,
    scale: { domain: ['met', 'missed'], range: ['#2a7f62', '#c0392b'] },
  } as const;
  return {
    ...common(values),
    height: { step: 22 },
    layer: [
      { mark: { type: 'rule', strokeWidth: 3 }, encoding: { y, x: { ...x, field: 'min' }, x2: { field: 'max' }, color } },
      { mark: { type: 'point', filled: true, size: 70, opacity: 1 }, encoding: { y, x: { ...x, field: 'median' }, color } },
      { mark: { type: 'tick', thickness: 2, color: '#333' }, encoding: { y, x: { ...x, field: 'goal' } } },
    ],
  };
}

function seriesSpec({ title, x, y, lines }: Series): TopLevelSpec {
  const values = lines.flatMap(({ name, points }) => points.map(([at, value]) => ({ name, at, value })));
  return {
    ...common(values),
    title,
    height: 260,
    mark: { type: 'line', interpolate: 'linear' },
    encoding: {
      x: { field: 'at', type: 'quantitative', title: x },
      y: { field: 'value', type: 'quantitative', title: y },
      color: { field: 'name', type: 'nominal', title: null, legend: { orient: 'bottom', columns: 2, labelLimit: 320 } },
    },
  };
}

function common(values: readonly object[]): { $schema: string; width: number; background: string; data: { values: object[] } } {
  return { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', width: WIDTH, background: 'white', data: { values: [...values] } };
}

async function draw(spec: TopLevelSpec): Promise<string> {
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
