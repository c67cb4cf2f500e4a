/** Provided by the application: to the module by injection, to the sender as a parameter. */
export abstract class WebhookOptions {
  /** For development only. */
  abstract readonly allowPrivateNetworks: boolean;
  /** For development only: ports from 1024 as well as 443 and 80. */
  abstract readonly allowAnyPort: boolean;
  /** Seconds before each attempt. */
  abstract readonly retryScheduleSeconds: readonly number[];
  /** Time limit of an attempt. */
  abstract readonly timeoutMs: number;
  /** An endpoint whose attempts have all failed for this long is disabled. */
  abstract readonly disableAfterSeconds: number;
  /** Deliveries that ended longer ago than this are deleted. */
  abstract readonly retentionDays: number;
}
