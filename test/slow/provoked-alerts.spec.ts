import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isTrue } from '../support/gauge-alert.js';
import { parseExposition } from '../support/metrics.js';
import { type AlertObserver, describeProvokedAlerts, PROVOKED_ALERTS } from '../support/provoked-alerts.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const { groups } = parse(readFileSync('ops/prometheus/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules).filter(({ alert }) => PROVOKED_ALERTS.includes(alert));

function scraping(targets: readonly string[]): AlertObserver {
  const scrape = async (target: string): Promise<string | undefined> => {
    const response = await fetch(`http://${target}/metrics`, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    return response?.ok ? await response.text() : undefined;
  };
  return {
    active: async () => {
      const scraped = await Promise.all(
        targets.map(async (target) => {
          const text = await scrape(target);
          return [target, text === undefined ? undefined : parseExposition(text)] as const;
        }),
      );
      return new Set(rules.filter(({ expr }) => isTrue(expr, new Map(scraped))).map(({ alert }) => alert));
    },
    close: () => Promise.resolve(),
  };
}

describeProvokedAlerts('the expressions of alerts, over scrapes of real processes,', (targets) => Promise.resolve(scraping(targets)));
