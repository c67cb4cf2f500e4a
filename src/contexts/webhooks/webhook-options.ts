/** Settings that the application provides: to the module by injection, to the sender as a parameter. */
export abstract class WebhookOptions {
  /** Allows private addresses and the ports that they usually use; for development only. */
  abstract readonly allowPrivateNetworks: boolean;
  /** Allows every port, not only 443, those from 1024 and, in sandbox mode, 80; for development only. */
  abstract readonly allowAnyPort: boolean;
  /** Seconds to wait before each attempt. */
  abstract readonly retryScheduleSeconds: readonly number[];
  /** Time limit of an attempt, in milliseconds. */
  abstract readonly timeoutMs: number;
  /** Seconds after which an endpoint is disabled if every attempt in that time failed. */
  abstract readonly disableAfterSeconds: number;
  /** Days after which deliveries that have ended are deleted. */
  abstract readonly retentionDays: number;
}
