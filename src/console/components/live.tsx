import { type ComponentChildren, type VNode } from 'preact';

interface LiveProps {
  /** Absolute path of a live route. */
  readonly from: string;
  /** Whether assistive technology reads what changes. Not for figures that change all the time. */
  readonly announced?: boolean;
  readonly children: ComponentChildren;
}

/** Part of a page that the module `every-page` replaces with what the server sends. */
export function Live({ from, announced = true, children }: LiveProps): VNode {
  return (
    <div data-live={from} aria-live={announced ? 'polite' : undefined}>
      {children}
    </div>
  );
}

/** A line of a chart. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** Says what the chart shows, for people who do not see it. */
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** `naira` formats the values as amounts. */
  readonly unit?: 'naira' | 'count' | 'seconds';
  /** Draws steps instead of slopes, for a value that holds until it changes. */
  readonly stepped?: boolean;
}

/** A chart over time, which the module `charts` draws. The same module makes the table of the values when it is opened. */
export function Chart({ label, times, lines, unit = 'count', stepped = false }: ChartProps): VNode {
  return (
    <figure class="chart">
      <figcaption>{label}</figcaption>
      <div data-chart={JSON.stringify({ times, lines, unit, stepped })} role="img" aria-label={`${label}: chart, followed by a table`} />
      <details id={`table-${label.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`} data-values>
        <summary>{`${label}: table`}</summary>
      </details>
    </figure>
  );
}
