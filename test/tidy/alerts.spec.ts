import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Alert {
  readonly alert: string;
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
