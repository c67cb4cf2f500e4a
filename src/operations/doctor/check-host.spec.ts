import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../settings/read.js';
import { checkProduction } from './check-host.js';

const fit = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://rupa.example',
  EVENT_STORE_URL: 'esdb://store:2113',
  DATABASE_URL: 'postgres://u:p@db/rupa',
  MASTER_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
  ADMIN_TOKEN: 'a'.repeat(32),
  AUDITOR_TOKEN: 'b'.repeat(32),
  METRICS_PORT: '9464',
  TRUSTED_PROXIES: '10.0.0.7',
};
const findings = (env: Record<string, string>): string[] =>
  checkProduction(readSettings(env)).map(({ status, found }) => `${status}: ${found}`);

describe('the doctor in production', () => {
  it('finds no fault in settings that are fit for production', () => {
    expect(findings(fit)).toStrictEqual(['ok: the settings are fit for production']);
  });

  it('does not check settings outside production', () => {
    expect(findings({ LOG_LEVEL: 'debug', DEMO: 'true' })).toStrictEqual(['ok: not checked: NODE_ENV is not production']);
  });

  it.each([
    ['PUBLIC_URL', 'http://rupa.example', 'warning: PUBLIC_URL is http://rupa.example'],
    ['EVENT_STORE_URL', 'esdb://store:2113?tls=false', 'warning: the event store is reached without TLS'],
    ['WEBHOOK_ALLOW_PRIVATE_NETWORKS', 'true', 'failure: webhooks may reach private networks or any port'],
    ['WEBHOOK_ALLOW_ANY_PORT', 'true', 'failure: webhooks may reach private networks or any port'],
    ['DEMO', 'true', 'warning: DEMO is true'],
    ['LOG_LEVEL', 'debug', 'warning: LOG_LEVEL is debug'],
    ['METRICS_PORT', '', 'warning: METRICS_PORT is not set, so no metrics are served'],
    ['TRUSTED_PROXIES', '', 'warning: TRUSTED_PROXIES is empty, although a proxy ends TLS in front of PUBLIC_URL'],
    ['LOG_LEVEL', 'trace', 'warning: LOG_LEVEL is trace'],
  ])('reports %s=%s', (name, value, finding) => {
    expect(findings({ ...fit, [name]: value })).toStrictEqual([finding]);
  });

  it('asks no process without the role api for trusted proxies', () => {
    expect(findings({ ...fit, TRUSTED_PROXIES: '', ROLES: 'projector' })).toStrictEqual(['ok: the settings are fit for production']);
  });
});
