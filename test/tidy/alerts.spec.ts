import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { parsePromql } from '../support/promql.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}

const { groups } = parse(readFileSync('ops/prometheus/alerts.yml', 'utf8')) as { groups: { name: string; rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const sections = new Map(
  readFileSync('docs/alerts.md', 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
}

const { panels } = JSON.parse(readFileSync('ops/grafana/rupa.json', 'utf8')) as { panels: readonly Panel[] };

describe('the dashboard', () => {
  it('describes every panel in sentences', () => {
    const undescribed = panels.filter(({ type, description = '' }) => type !== 'row' && !/^[A-Z0-9].*\.$/.test(description));
    expect(undescribed.map(({ title }) => title)).toStrictEqual([]);
  });
});

interface UnitTest {
  readonly name: string;
  readonly input_series: readonly { readonly series: string }[];
  readonly promql_expr_test: readonly { readonly expr: string; readonly exp_samples: readonly object[] }[];
}

const { tests: unitTests } = parse(readFileSync('ops/prometheus/alerts.test.yml', 'utf8')) as { tests: readonly UnitTest[] };

describe('the unit tests of alerts', () => {
  it('let every alert fire once and stay quiet once, on series of the metrics that it queries', () => {
    expect(unitTests.map(({ name }) => name)).toStrictEqual(alerts.flatMap(({ alert }) => [`${alert} fires`, `${alert} stays quiet`]));
    for (const { name, input_series: inputs, promql_expr_test: checks } of unitTests) {
      const [alert = '', ...kind] = name.split(' ');
      const { metrics, labels } = parsePromql(alerts.find((rule) => rule.alert === alert)?.expr ?? '');
      const names = inputs.map(({ series }) => parsePromql(series));
      expect([name, new Set(names.flatMap((input) => input.metrics))]).toStrictEqual([name, new Set(metrics)]);
      expect([name, labels.filter((label) => !names.some((input) => input.labels.includes(label)))]).toStrictEqual([name, []]);
      expect(checks).toHaveLength(1);
      expect(checks[0]?.expr).toBe(`count(ALERTS{alertname="${alert}", alertstate="firing"})`);
      expect([name, checks[0]?.exp_samples.length]).toStrictEqual([name, kind.join(' ') === 'fires' ? 1 : 0]);
    }
  });
});

describe('alerts', () => {
  it('have one section each in docs/alerts.md, in the same order', () => {
    expect([...sections.keys()]).toStrictEqual(alerts.map(({ alert }) => alert));
  });

  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    'document the severity, the meaning and what to do: %s',
    (name, { labels, annotations }) => {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations).toStrictEqual({
        summary: expect.stringMatching(/\w/),
        description: expect.stringMatching(/\.$/),
        runbook_url: `docs/alerts.md#${name.toLowerCase()}`,
      });
      for (const part of ['**Meaning.** ', '**Look at.** ', '**Do.** ']) expect(sections.get(name)).toContain(part);
    },
  );
});
