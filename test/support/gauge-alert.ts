import { type Family } from './metrics.js';

/** The scrapes of all processes by instance; undefined for a process that does not respond. */
export type Scrapes = ReadonlyMap<string, ReadonlyMap<string, Family> | undefined>;

const FORM = /^(abs\()?(?:(min|max) (?:by \(([\w, ]+)\) )?\(|(min|max)\()?(\w+)(?:\{([^}]*)\})?\)*\s(==|>) ([\d.]+)$/;

/**
 * Evaluates the expression of an alert that compares gauges with a number, as Prometheus does at one moment. promtool tests the others
 * (ops/prometheus/alerts.test.yml).
 * @throws Error if the expression has another form
 */
export function isTrue(expression: string, scrapes: Scrapes): boolean {
  const [, absolute, grouping, by, plain, metric = '', matchers = '', comparison, bound] = FORM.exec(expression.trim()) ?? [];
  if (bound === undefined) throw new Error(`This test evaluates only comparisons of gauges: ${expression}`);
  const wanted = [...matchers.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value] as const);
  const groups = new Map<string, number[]>();
  for (const { labels, value } of series(metric, scrapes)) {
    if (!wanted.every(([label, text]) => labels[label] === text)) continue;
    const names = grouping === undefined && plain === undefined ? Object.keys(labels) : (by ?? '').split(', ');
    const group = names.map((name) => `${name}=${labels[name]}`).join();
    groups.set(group, [...(groups.get(group) ?? []), value]);
  }
  const smallest = (grouping ?? plain) === 'min';
  const results = [...groups.values()].map((values) => (smallest ? Math.min(...values) : Math.max(...values)));
  return results
    .map((value) => (absolute === undefined ? value : Math.abs(value)))
    .some((value) => (comparison === '>' ? value > Number(bound) : value === Number(bound)));
}

function series(metric: string, scrapes: Scrapes): { labels: Readonly<Record<string, string>>; value: number }[] {
  const added = (instance: string): Record<string, string> => ({ instance, job: 'rupa' });
  return [...scrapes].flatMap(([instance, families]) => {
    if (metric === 'up') return [{ labels: added(instance), value: families === undefined ? 0 : 1 }];
    return (families?.get(metric)?.samples ?? []).map(({ labels, value }) => ({ labels: { ...labels, ...added(instance) }, value }));
  });
}
