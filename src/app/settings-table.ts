import { SECRET_SETTINGS } from './settings-files.js';

/** A variable of the environment, as it is documented. settings-table.spec.ts holds this against what settings.ts reads. */
export interface DocumentedSetting {
  readonly name: string;
  /** As one would write it: setting it to this changes nothing. */
  readonly value?: string;
  /** In words, where it depends on others or is none. */
  readonly otherwise?: string;
  readonly unit: string;
  readonly what: string;
}

const NONE = 'none';
const GENERATED = 'generated into the data folder; needed in production and with DATABASE_URL';

export const DOCUMENTED: readonly DocumentedSetting[] = [
  {
    name: 'NODE_ENV',
    otherwise: NONE,
    unit: 'production, or anything else',
    what: 'in production both stores, the keys and the tokens must be given, and nothing embedded is started',
  },
  { name: 'PORT', value: '3000', unit: 'port; 0: any that is free', what: 'where the API listens' },
  { name: 'HOST', otherwise: '127.0.0.1; 0.0.0.0 in production', unit: 'address', what: 'where the API listens' },
  {
    name: 'PUBLIC_URL',
    otherwise: 'http://HOST:PORT',
    unit: 'http:// or https:// URL',
    what: 'where partners reach it; goes into rupa_profile_url',
  },
  { name: 'ROLES', value: 'api,projector,webhooks', unit: 'of these, separated by commas', what: 'what this process does' },
  { name: 'WAIT_FOR_STORES_SECONDS', value: '60', unit: 'seconds', what: 'how long the start waits for stores that do not answer yet' },
  { name: 'READY_LAG_SECONDS', value: '30', unit: 'seconds', what: 'not ready while the read models do not show an event that old' },
  {
    name: 'SHUTDOWN_GRACE_MS',
    otherwise: '0; 5000 in production',
    unit: 'milliseconds',
    what: 'after a signal it goes on serving for so long, not ready, so that balancers move on',
  },
  {
    name: 'DATA_DIR',
    otherwise: '.data, or a folder under /var/lib where root’s clone is closed to others',
    unit: 'path',
    what: 'embedded stores, generated keys and tokens',
  },
  {
    name: 'EVENT_STORE_URL',
    otherwise: 'embedded; needed in production',
    unit: 'esdb://, esdb+discover://, kurrentdb:// or kurrentdb+discover:// URL',
    what: 'the event store',
  },
  {
    name: 'DATABASE_URL',
    otherwise: 'embedded; needed in production',
    unit: 'postgres:// URL',
    what: 'PostgreSQL 14 or newer: read models, operational state, the key store',
  },
  {
    name: 'MASTER_KEY',
    otherwise: GENERATED,
    unit: 'id:base64 of 32 bytes; several separated by commas, the first one current',
    what: 'opens the key store',
  },
  {
    name: 'ADMIN_TOKEN',
    otherwise: GENERATED,
    unit: 'text of 24 characters or more; several with names: amina:…,bode:…',
    what: 'every call under /admin/v1',
  },
  {
    name: 'AUDITOR_TOKEN',
    otherwise: GENERATED,
    unit: 'text of 24 characters or more; several with names',
    what: 'every GET under /admin/v1',
  },
  ...SECRET_SETTINGS.map((name) => ({
    name: `${name}_FILE`,
    otherwise: NONE,
    unit: 'path',
    what: `a file that holds ${name}, in its place`,
  })),
  {
    name: 'DEMO',
    otherwise: 'true when embedded and the log is empty',
    unit: 'true or false',
    what: 'makes the demo world at the first start',
  },
  { name: 'COMPLIANCE_RATIO', value: '1', unit: 'reports per look-up, above 0', what: 'how much partners are expected to report' },
  { name: 'RATE_LIMIT_LIVE_PER_SECOND', value: '100', unit: 'calls per second; 0: no limit', what: 'of a live partner, on each instance' },
  {
    name: 'RATE_LIMIT_SANDBOX_PER_SECOND',
    value: '25',
    unit: 'calls per second; 0: no limit',
    what: 'of a sandbox partner, on each instance',
  },
  {
    name: 'RATE_LIMIT_FAILED_AUTH_PER_MINUTE',
    value: '60',
    unit: 'calls per minute; 0: no limit',
    what: 'with wrong keys and tokens from one address, on each instance',
  },
  { name: 'REQUEST_TIMEOUT_MS', value: '30000', unit: 'milliseconds, 1000 to 300000', what: 'for a request to come in, headers and body' },
  { name: 'TRUSTED_PROXIES', otherwise: NONE, unit: 'addresses and CIDRs, separated by commas', what: 'whose X-Forwarded-For counts' },
  {
    name: 'WEBHOOK_RETRY_SCHEDULE_SECONDS',
    value: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
    unit: 'seconds, separated by commas',
    what: 'the wait before each attempt',
  },
  { name: 'WEBHOOK_TIMEOUT_MS', value: '15000', unit: 'milliseconds, 100 to 60000', what: 'the limit of each attempt' },
  {
    name: 'WEBHOOK_DISABLE_AFTER_SECONDS',
    value: '432000',
    unit: 'seconds',
    what: 'an endpoint that has done nothing but fail for so long is disabled',
  },
  { name: 'WEBHOOK_RETENTION_DAYS', value: '90', unit: 'days', what: 'ended deliveries older than this go' },
  {
    name: 'WEBHOOK_ALLOW_PRIVATE_NETWORKS',
    value: 'false',
    unit: 'true or false',
    what: 'for development alone: endpoints in private networks, and http:// for sandbox partners',
  },
  {
    name: 'WEBHOOK_ALLOW_ANY_PORT',
    value: 'false',
    unit: 'true or false',
    what: 'for development alone: ports from 1024 beside 443 and 80',
  },
  {
    name: 'METRICS_PORT',
    otherwise: 'none: no metrics are served',
    unit: 'port; 0: any that is free',
    what: 'GET /metrics for Prometheus, on a port of its own',
  },
  { name: 'METRICS_HOST', value: '127.0.0.1', unit: 'address', what: 'where metrics are served' },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    otherwise: 'none: no traces',
    unit: 'http:// or https:// URL',
    what: 'where traces go, OTLP over HTTP; OpenTelemetry’s other OTEL_EXPORTER_OTLP_…, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES count, too',
  },
  { name: 'OTEL_SDK_DISABLED', value: 'false', unit: 'true or false', what: 'no traces, whatever the endpoint says' },
  { name: 'OTEL_TRACES_SAMPLER_ARG', value: '1', unit: 'share, 0 to 1', what: 'of the traces that are kept' },
  { name: 'OTEL_BSP_SCHEDULE_DELAY', value: '5000', unit: 'milliseconds', what: 'between exports of traces' },
  {
    name: 'LOG_LEVEL',
    value: 'info',
    unit: 'fatal, error, warn, info, debug, trace or silent',
    what: 'how much is logged; debug: a line for every request',
  },
];

/** docs/settings.md, whole. */
export function settingsPage(): string {
  const rows = DOCUMENTED.map(
    ({ name, value, otherwise, unit, what }) =>
      `| \`${name}\` | ${value === undefined ? (otherwise ?? NONE) : `\`${value}\``} | ${unit} | ${what} |`,
  );
  return [
    '# Settings',
    '',
    'From the environment, or a `.env` file in the working directory. A wrong or missing one stops the start with a sentence that names it and says what to do. `rupa doctor` checks a deployment with them.',
    '',
    '| Variable | Default | Unit or form | |',
    '|---|---|---|---|',
    ...rows,
    '',
    'Made by `npm run settings-table` from `src/app/settings-table.ts`.',
    '',
  ].join('\n');
}
