import * as commandLine from './declared/command-line.js';
import * as consoleSignIn from './declared/console-sign-in.js';
import { approvalAbove } from './declared/four-eyes.js';
import * as issuer from './declared/issuer.js';
import * as service from './declared/service.js';
import * as stores from './declared/stores.js';
import * as telemetry from './declared/telemetry.js';
import * as webhooks from './declared/webhooks.js';
import { witnesses } from './declared/witnesses.js';
import { type Group, type ValuesOf, variablesOf } from './variable.js';

/** Every variable that the service reads, in the shape of `Settings` and in the order of docs/settings.md. */
export const DECLARATION = {
  production: stores.production,
  port: service.port,
  host: service.host,
  publicUrl: service.publicUrl,
  consoleUrl: service.consoleUrl,
  roles: service.roles,
  waitForStoresSeconds: service.waitForStoresSeconds,
  readyLagSeconds: service.readyLagSeconds,
  maxStalenessSeconds: service.maxStalenessSeconds,
  shutdownGraceMs: service.shutdownGraceMs,
  dataDir: stores.dataDir,
  eventStoreUrl: stores.eventStoreUrl,
  databaseUrl: stores.databaseUrl,
  masterKey: stores.masterKey,
  adminToken: stores.adminToken,
  auditorToken: stores.auditorToken,
  actor: commandLine.actor,
  token: commandLine.token,
  approvalAbove,
  consoleSignIn: {
    issuer: consoleSignIn.issuer,
    clientId: consoleSignIn.clientId,
    clientSecret: consoleSignIn.clientSecret,
    scope: consoleSignIn.scope,
    rolesClaim: consoleSignIn.rolesClaim,
    adminRole: consoleSignIn.adminRole,
    auditorRole: consoleSignIn.auditorRole,
  },
  demo: stores.demo,
  checkpointEverySeconds: service.checkpointEverySeconds,
  witnesses,
  complianceRatio: service.complianceRatio,
  issuer: { name: issuer.name, address: issuer.address, taxId: issuer.taxId, prefix: issuer.prefix },
  accountCodes: issuer.accountCodes,
  rateLimitPerSecond: { live: service.livePerSecond, sandbox: service.sandboxPerSecond },
  failedAuthenticationsPerMinute: service.failedAuthenticationsPerMinute,
  requestTimeoutMs: service.requestTimeoutMs,
  maxConnectionsPerAddress: service.maxConnectionsPerAddress,
  trustedProxies: service.trustedProxies,
  webhooks: {
    retryScheduleSeconds: webhooks.retryScheduleSeconds,
    timeoutMs: webhooks.timeoutMs,
    disableAfterSeconds: webhooks.disableAfterSeconds,
    retentionDays: webhooks.retentionDays,
    allowPrivateNetworks: webhooks.allowPrivateNetworks,
    allowAnyPort: webhooks.allowAnyPort,
  },
  webhookSourceAddresses: webhooks.sourceAddresses,
  metrics: { port: telemetry.metricsPort, host: telemetry.metricsHost },
  tracing: { enabled: telemetry.tracingEnabled, ratio: telemetry.samplingRatio, exportEveryMs: telemetry.exportEveryMs },
  consoleTraceUrl: telemetry.consoleTraceUrl,
  logLevel: telemetry.logLevel,
} satisfies Group;

/** The validated environment (admin, "Settings"). */
export type Settings = ValuesOf<typeof DECLARATION>;

export const VARIABLES = variablesOf(DECLARATION);
export const SECRETS = VARIABLES.filter(({ secret }) => secret);
