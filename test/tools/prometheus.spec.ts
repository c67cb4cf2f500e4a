import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { endWithThisProcess } from '../support/end-with-this-process.js';
import { type AlertObserver, describeProvokedAlerts } from '../support/provoked-alerts.js';
import { run } from '../support/rupa.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

interface Configuration {
  readonly scrape_configs: { readonly static_configs: { readonly targets: readonly string[] }[] }[];
}

/** Starts Prometheus with the configuration of docker-compose.yml, apart from the targets and the intervals. */
async function startPrometheus(targets: readonly string[]): Promise<AlertObserver> {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-prometheus-'));
  const configuration = parse(readFileSync('ops/prometheus/prometheus.yml', 'utf8')) as Configuration;
  const [job] = configuration.scrape_configs;
  const changed = {
    ...configuration,
    global: { scrape_interval: '2s', evaluation_interval: '1s' },
    scrape_configs: [{ ...job, static_configs: [{ targets }] }],
  };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(changed));
  copyFileSync('ops/prometheus/alerts.yml', join(folder, 'alerts.yml'));
  const address = `127.0.0.1:${await freePort()}`;
  const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=${address}`];
  const prometheus = spawn('prometheus', args, { stdio: 'ignore' });
  endWithThisProcess(prometheus);
  const get = async (path: string): Promise<unknown> =>
    await fetch(`http://${address}${path}`)
      .then((response) => response.json())
      .catch(() => undefined);
  await until(async () => {
    const { data } = ((await get('/api/v1/query?query=count(up)')) ?? {}) as { data?: { result: { value: [number, string] }[] } };
    return data?.result[0]?.value[1] === String(targets.length);
  });
  return {
    // An alert is pending while its expression is true, until it has been true for long enough to fire.
    active: async () => {
      const { data } = (await get('/api/v1/alerts')) as { data: { alerts: { labels: { alertname: string } }[] } };
      return new Set(data.alerts.map(({ labels }) => labels.alertname));
    },
    close: async () => {
      const ended = once(prometheus, 'exit');
      prometheus.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

it('promtool accepts the configuration, and every unit test of the alerts passes', async () => {
  expect(await run('promtool', ['check', 'config', 'ops/prometheus/prometheus.yml'])).toMatchObject({ code: 0 });
  expect(await run('promtool', ['test', 'rules', 'ops/prometheus/alerts.test.yml'])).toMatchObject({ code: 0 });
});

describeProvokedAlerts('the alerts of a Prometheus that scrapes real processes', startPrometheus);
