import { STORED_RESPONSES } from '../../platform/stored-responses/stored-response-table.js';
import { LookupMetrics } from '../../contexts/lookups/looking-up/lookup-metrics.js';
import { JOBS } from '../../contexts/rebuilding/projection-job-runner.js';
import { countRefunds } from '../../contexts/wallet/charging/refund-metrics.js';
import { TABLES_WITH_OLD_ROWS } from '../../contexts/webhooks/delivering/old-deliveries.js';
import { WebhookMetrics } from '../../contexts/webhooks/delivering/webhook-metrics.js';
import { HttpMetrics } from '../../http/observe-requests.js';
import { Metrics } from '../../platform/metrics/metrics.js';

/** The metrics of the platform, of HTTP and of the contexts. */
export class ServiceMetrics extends Metrics {
  readonly http = new HttpMetrics(this.registry);
  readonly lookups = new LookupMetrics(this.registry);
  readonly webhooks = new WebhookMetrics(this.registry);

  constructor() {
    super();
    countRefunds(this.registry, this.eventStore);
    this.eventStore.startAtZero('wallet');
    this.deletedRows.startAtZero([STORED_RESPONSES, ...TABLES_WITH_OLD_ROWS, JOBS]);
  }
}
