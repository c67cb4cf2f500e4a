import ipaddr from 'ipaddr.js';
import { parseTokens } from '../http/admin-tokens.js';
import { MasterKeys } from '../platform/key-store/master-keys.js';
import { LOG_LEVELS, type LogLevel } from '../platform/logging/logger.js';
import { type TracingOptions } from '../platform/tracing/start.js';
import { type WebhookOptions } from '../contexts/webhooks/webhook-options.js';
import { type Environment, SECRET_SETTINGS, secretsFromFiles } from './settings-files.js';

export const ROLES = ['api', 'projector', 'webhooks'] as const;
export type Role = (typeof ROLES)[number];

/** Decisions, "Webhooks". */
const RETRY_SCHEDULE_SECONDS: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const MAX_WAIT_SECONDS = 30 * 24 * 60 * 60;

/** The environment, checked. spec: admin.md, "Settings". */
export interface Settings {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  readonly dataDir: string | undefined;
  readonly eventStoreUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly roles: readonly Role[];
  readonly adminToken: string | undefined;
  readonly auditorToken: string | undefined;
  readonly masterKey: string | undefined;
  readonly publicUrl: string;
  readonly demo: boolean | undefined;
  readonly complianceRatio: number;
  /** Per partner; 0: none. */
  readonly rateLimitPerSecond: { readonly live: number; readonly sandbox: number };
  /** Per address; 0: none. */
  readonly failedAuthenticationsPerMinute: number;
  readonly trustedProxies: readonly string[];
  /** A request has to be there, whole, in this time. */
  readonly requestTimeoutMs: number;
  /** Prometheus; no port: none are served. */
  readonly metrics: { readonly port: number | undefined; readonly host: string };
  readonly tracing: TracingOptions;
  readonly webhooks: WebhookOptions;
  /** How long the start waits for stores that do not answer yet. */
  readonly waitForStoresSeconds: number;
  /** Read models that have not come to an event this old make the process not ready. */
  readonly readyLagSeconds: number;
  /** After a signal it goes on serving for so long, so that balancers see that it is not ready any more. */
  readonly shutdownGraceMs: number;
  readonly logLevel: LogLevel;
}

/** Every sentence names a variable and says what to do. */
export class SettingsInvalid extends Error {
  override name = 'SettingsInvalid';

  constructor(readonly sentences: readonly string[]) {
    super(sentences.join('\n'));
  }
}

/** @throws SettingsInvalid with one sentence per wrong or missing variable. */
export function readSettings(env: Environment): Settings {
  const { found: secrets, sentences: wrongFiles } = secretsFromFiles(env);
  const sentences = [...wrongFiles];
  const read = <T>(name: string, fallback: T, parse: (text: string) => T): T => {
    const text = (secrets[name] ?? env[name])?.trim();
    if (text === undefined || text === '') return fallback;
    try {
      return parse(text);
    } catch (error) {
      sentences.push(`${name} is wrong: ${(error as Error).message}.`);
      return fallback;
    }
  };
  const production = env.NODE_ENV === 'production';
  const host = read('HOST', production ? '0.0.0.0' : '127.0.0.1', (text) => text);
  const port = read('PORT', 3000, integerBetween(0, 65_535));
  const settings: Settings = {
    production,
    host,
    port,
    dataDir: read('DATA_DIR', undefined, (text) => text),
    eventStoreUrl: read('EVENT_STORE_URL', undefined, eventStoreUrl),
    databaseUrl: read('DATABASE_URL', undefined, url('postgres:', 'postgresql:')),
    roles: read<readonly Role[]>('ROLES', ROLES, (text) => [...new Set(text.split(',').map((role) => oneOf(ROLES)(role.trim())))]),
    adminToken: read('ADMIN_TOKEN', undefined, tokens),
    auditorToken: read('AUDITOR_TOKEN', undefined, tokens),
    masterKey: read('MASTER_KEY', undefined, masterKey),
    publicUrl: read('PUBLIC_URL', `http://${host}:${port}`, (text) => url('http:', 'https:')(text).replace(/\/+$/, '')),
    demo: read<boolean | undefined>('DEMO', undefined, flag),
    complianceRatio: read('COMPLIANCE_RATIO', 1, positiveNumber),
    rateLimitPerSecond: {
      live: read('RATE_LIMIT_LIVE_PER_SECOND', 100, integerBetween(0, 1_000_000)),
      sandbox: read('RATE_LIMIT_SANDBOX_PER_SECOND', 25, integerBetween(0, 1_000_000)),
    },
    failedAuthenticationsPerMinute: read('RATE_LIMIT_FAILED_AUTH_PER_MINUTE', 60, integerBetween(0, 1_000_000)),
    trustedProxies: read('TRUSTED_PROXIES', [], (text) => text.split(',').map((entry) => network(entry.trim()))),
    requestTimeoutMs: read('REQUEST_TIMEOUT_MS', 30_000, integerBetween(1_000, 300_000)),
    metrics: {
      port: read<number | undefined>('METRICS_PORT', undefined, integerBetween(0, 65_535)),
      host: read('METRICS_HOST', '127.0.0.1', (text) => text),
    },
    tracing: {
      enabled:
        !read('OTEL_SDK_DISABLED', false, flag) &&
        read<string | undefined>('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, url('http:', 'https:')) !== undefined,
      ratio: read('OTEL_TRACES_SAMPLER_ARG', 1, share),
      exportEveryMs: read('OTEL_BSP_SCHEDULE_DELAY', 5_000, integerBetween(1, 600_000)),
    },
    webhooks: webhookSettings(read),
    waitForStoresSeconds: read('WAIT_FOR_STORES_SECONDS', 60, integerBetween(0, 86_400)),
    readyLagSeconds: read('READY_LAG_SECONDS', 30, integerBetween(1, 86_400)),
    shutdownGraceMs: read('SHUTDOWN_GRACE_MS', production ? 5_000 : 0, integerBetween(0, 600_000)),
    logLevel: read('LOG_LEVEL', 'info', oneOf(LOG_LEVELS)),
  };
  sentences.push(...missing(settings, env), ...rolesWithoutStores(settings));
  if (sentences.length > 0) throw new SettingsInvalid(sentences);
  return settings;
}

type Read = <T>(name: string, fallback: T, parse: (text: string) => T) => T;

function webhookSettings(read: Read): WebhookOptions {
  return {
    allowPrivateNetworks: read('WEBHOOK_ALLOW_PRIVATE_NETWORKS', false, flag),
    allowAnyPort: read('WEBHOOK_ALLOW_ANY_PORT', false, flag),
    retryScheduleSeconds: read('WEBHOOK_RETRY_SCHEDULE_SECONDS', RETRY_SCHEDULE_SECONDS, schedule),
    timeoutMs: read('WEBHOOK_TIMEOUT_MS', 15_000, integerBetween(100, 60_000)),
    disableAfterSeconds: read('WEBHOOK_DISABLE_AFTER_SECONDS', 5 * 24 * 60 * 60, positiveNumber),
    retentionDays: read('WEBHOOK_RETENTION_DAYS', 90, positiveNumber),
  };
}

/** The embedded stores make what they need themselves; real ones, and production, need it said. */
function missing(settings: Settings, env: Environment): string[] {
  const needed: [string, string][] = [];
  if (settings.production) {
    needed.push(['EVENT_STORE_URL', 'esdb://host:2113'], ['DATABASE_URL', 'postgres://user:password@host/database']);
  }
  if (settings.production || settings.databaseUrl !== undefined) {
    needed.push(
      ['MASTER_KEY', 'id:base64 of 32 random bytes'],
      ['ADMIN_TOKEN', 'a long random text'],
      ['AUDITOR_TOKEN', 'another long random text'],
    );
  }
  // What names a file is wrong or right, not missing.
  return needed
    .filter(([name]) => !env[name]?.trim() && !env[`${name}_FILE`]?.trim())
    .map(([name, form]) => `${name} is missing: set it to ${form}${asFile(name)}.`);
}

function asFile(name: string): string {
  return SECRET_SETTINGS.some((secret) => secret === name) ? `, or ${name}_FILE to a file that holds it` : '';
}

/** Embedded stores live in the process that owns the data folder: nobody else could do the roles that it leaves out. */
function rolesWithoutStores({ roles, eventStoreUrl, databaseUrl }: Settings): string[] {
  if (roles.length === ROLES.length || (eventStoreUrl !== undefined && databaseUrl !== undefined)) return [];
  return [
    'ROLES is wrong: a process with embedded stores does every role. Leave it out, or set EVENT_STORE_URL and DATABASE_URL to stores that several processes share.',
  ];
}

function integerBetween(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < low || value > high)
      throw new Error(`it must be a whole number from ${low} to ${high}, and is "${text}"`);
    return value;
  };
}

function flag(text: string): boolean {
  return oneOf(['true', 'false'])(text) === 'true';
}

function schedule(text: string): readonly number[] {
  const seconds = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (seconds.some((wait) => !(wait >= 0 && wait <= MAX_WAIT_SECONDS)))
    throw new Error(`it must be numbers of seconds from 0 to ${MAX_WAIT_SECONDS}, separated by commas, and is "${text}"`);
  return seconds;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`it must be a number above 0, and is "${text}"`);
  return value;
}

function share(text: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0 && value <= 1)) throw new Error(`it must be a number from 0 to 1, and is "${text}"`);
  return value;
}

function oneOf<const T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((value) => value === text);
    if (found === undefined) throw new Error(`"${text}" is none of ${allowed.join(', ')}`);
    return found;
  };
}

/** @throws Error that says what is wrong with it */
export const eventStoreUrl = url('esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:');

/** The value itself is not repeated: it may hold a password. */
function url(...protocols: string[]): (text: string) => string {
  return (text) => {
    const protocol = /^[a-z+]+:/.exec(text)?.[0];
    if (protocol === undefined || !protocols.includes(protocol))
      throw new Error(`it must begin with ${protocols.map((name) => `${name}//`).join(' or ')}`);
    return text;
  };
}

function tokens(text: string): string {
  parseTokens(text);
  return text;
}

function masterKey(text: string): string {
  MasterKeys.parse(text);
  return text;
}

function network(text: string): string {
  if (!ipaddr.isValid(text) && !ipaddr.isValidCIDR(text)) throw new Error(`"${text}" is neither an address nor a CIDR`);
  return text;
}
