import { flag, networks, numberAboveZero, seconds, wholeNumber } from '../types.js';
import { variable } from '../variable.js';

const MAX_WAIT_SECONDS = 30 * 24 * 60 * 60;
/** A hundred years. PostgreSQL refuses times that are much further away. */
const MAX_DAYS = 36_500;

/** The default schedule is that of (decisions, "Webhooks"). */
export const retryScheduleSeconds = variable('WEBHOOK_RETRY_SCHEDULE_SECONDS', {
  type: seconds(MAX_WAIT_SECONDS),
  default: '0,5,300,1800,7200,18000,36000,50400,72000,86400',
  description: 'Delays before the attempts of a delivery, one per attempt.',
});

export const timeoutMs = variable('WEBHOOK_TIMEOUT_MS', {
  type: wholeNumber('milliseconds', 100, 60_000),
  default: '15000',
  description: 'Time limit of an attempt.',
});

export const disableAfterSeconds = variable('WEBHOOK_DISABLE_AFTER_SECONDS', {
  type: numberAboveZero('seconds', MAX_DAYS * 24 * 60 * 60),
  default: '432000',
  description: 'An endpoint is disabled when all its attempts have failed for this long.',
});

export const retentionDays = variable('WEBHOOK_RETENTION_DAYS', {
  type: numberAboveZero('days', MAX_DAYS),
  default: '90',
  description: 'Finished deliveries are deleted after this time. With less than 30 days, partners can recover events of that time only.',
});

export const allowAnyPort = variable('WEBHOOK_ALLOW_ANY_PORT', {
  type: flag,
  default: 'false',
  description:
    'For development only: allows endpoints on every port. By default: https on 443, 8443 and 1024 and above; for sandbox partners also http, and port 80.',
});

export const allowPrivateNetworks = variable('WEBHOOK_ALLOW_PRIVATE_NETWORKS', {
  type: flag,
  default: 'false',
  description: 'For development only: allows endpoints in private networks, and http:// for sandbox partners.',
  productionAdvice: (value, read) =>
    value || read(allowAnyPort)
      ? {
          status: 'failure',
          found: 'webhooks may reach private networks or any port',
          todo: 'Unset WEBHOOK_ALLOW_PRIVATE_NETWORKS and WEBHOOK_ALLOW_ANY_PORT: partners choose the URLs of their endpoints.',
        }
      : undefined,
});

export const sourceAddresses = variable('WEBHOOK_SOURCE_ADDRESSES', {
  type: networks(),
  default: { words: 'none', value: (): readonly string[] => [] },
  description: 'Addresses and CIDRs that deliveries come from, which the guides name to partners: those of your gateway to the internet.',
});
