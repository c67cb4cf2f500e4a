import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { admin, makePartner } from '../support/client.js';
import { type Family, type MeasuredService, startMeasured } from '../support/metrics.js';
import { parsePromql } from '../support/promql.js';
import { until } from '../support/until.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const alerts = (parse(readFileSync('ops/prometheus/alerts.yml', 'utf8')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);
const { panels } = JSON.parse(readFileSync('ops/grafana/rupa.json', 'utf8')) as { panels: Panel[] };
const targets = panels.flatMap(({ title, targets: shown = [] }) =>
  shown.map(({ expr, legendFormat }) => [title, expr.replaceAll('$__rate_interval', '5m'), legendFormat] as const),
);
/** Labels that Prometheus itself adds to every series. */
const EVERYWHERE = ['job', 'instance'];

describe('alerts and dashboard', () => {
  let measured: MeasuredService;
  let families: ReadonlyMap<string, Family>;

  beforeAll(async () => {
    measured = await startMeasured();
    await admin(measured.service, 'PUT', '/farmers/rp-1', { mode: 'sandbox' });
    const bank = await makePartner(measured.service, { mode: 'sandbox' });
    await bank.lookup('rp-1');
    await bank.call('POST', '/webhooks', { url: 'https://hooks.example.invalid/' });
    await bank.call('POST', '/report', { rupa_id: 'rp-1', event: 'loan_repayment' });
    // Some metrics have no sample before the first observation.
    const late = ['rupa_webhook_attempt_duration_seconds', 'nodejs_gc_duration_seconds', 'nodejs_eventloop_lag_p99_seconds'];
    // A scrape lacks those for which a store took longer than two seconds, as it may on a busy machine.
    const ofStores = ['rupa_webhook_delivery_overdue_seconds', 'rupa_projection_lag_events', 'rupa_unusable_events'];
    families = await until(async () => {
      const found = await measured.families();
      return [...late, ...ofStores].every((name) => (found.get(name)?.samples.length ?? 0) > 0) && found;
    });
  });
  afterAll(() => measured.service.stop());

  const familyOf = (metric: string): Family | undefined => families.get(metric) ?? families.get(metric.replace(/_(bucket|sum|count)$/, ''));
  const labelsOf = (metric: string): string[] => [
    ...new Set(
      familyOf(metric)
        ?.samples.filter(({ name }) => name === metric)
        .flatMap(({ labels }) => Object.keys(labels)),
    ),
  ];
  /** Returns the metrics and labels of an expression that the service does not expose. */
  const unknown = (expression: string): string[] => {
    const { metrics, labels } = parsePromql(expression);
    const missing = metrics.filter((metric) => metric !== 'up' && !familyOf(metric));
    const known = new Set([...EVERYWHERE, ...metrics.flatMap(labelsOf)]);
    return [...missing, ...labels.filter((label) => !known.has(label))];
  };

  it.each(alerts.map(({ alert, expr }) => [alert, expr] as const))(
    'query only exposed metrics and labels in the alert %s',
    (_alert, expr) => {
      expect(unknown(expr)).toStrictEqual([]);
    },
  );

  it.each(targets)('query only exposed metrics and labels in the panel "%s": %s', (_title, expr, legend) => {
    expect(unknown(expr)).toStrictEqual([]);
    const { labels } = parsePromql(expr);
    for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(labels).toContain(label);
  });

  it('fail these checks when they query an unknown metric or label', () => {
    expect(unknown('sum by (partner_id) (rate(rupa_lookup_total{outcome="x"}[5m]))')).toStrictEqual([
      'rupa_lookup_total',
      'partner_id',
      'outcome',
    ]);
    expect(() => unknown('sum(rate(')).toThrow('This is no PromQL');
  });

  it('show every metric of the service', () => {
    const shown = new Set(targets.flatMap(([, expr]) => parsePromql(expr).metrics).map((metric) => familyOf(metric)?.name));
    expect([...families.keys()].filter((name) => name.startsWith('rupa_') && !shown.has(name))).toStrictEqual([]);
  });

  it('agree with docs/observability.md on every metric, type, label and help text', () => {
    const rows = [...readFileSync('docs/observability.md', 'utf8').matchAll(/^\| `(rupa_\w+)` +\| (\w+) +\| ([^|]*) \| (.+?) +\|$/gm)];
    const documented = rows.map(([, name = '', type, labels = '', help]) => [
      name,
      type,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label).join(),
      help,
    ]);
    const own = [...families.values()].filter(({ name }) => name.startsWith('rupa_'));
    const labels = ({ samples }: Family): string =>
      [...new Set(samples.flatMap((sample) => Object.keys(sample.labels)))].filter((label) => label !== 'le').join();
    expect(documented).toStrictEqual(
      own
        .map((family) => [family.name, family.type, labels(family), family.help])
        .sort(([one = ''], [other = '']) => (one < other ? -1 : 1)),
    );
  });
});
