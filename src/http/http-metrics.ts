import { Counter, Histogram, type Registry } from 'prom-client';
import { CLOSING_REASONS, type ClosingReason } from '../platform/http-server/bounded-server.js';

/** Buckets from the duration of a lookup on a cached wallet to the deadline of a request. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

export const RATE_LIMITS = ['partner', 'running', 'failed_authentication', 'profile_page', 'log'] as const;
export type RateLimitName = (typeof RATE_LIMITS)[number];

/** Metrics of HTTP. The label `route` is the route's template, never the path, because paths contain ids. */
export class HttpMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;
  private readonly limited: Counter<'limit'>;
  private readonly closed: Counter<'reason'>;

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'rupa_http_request_duration_seconds',
      help: 'Duration of requests by method, route template and status; status 499: the caller closed the connection first',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
    this.limited = new Counter({
      name: 'rupa_rate_limited_requests_total',
      help: 'Requests rejected with 429, by the limit that they exceeded',
      labelNames: ['limit'],
      registers: [registry],
    });
    for (const limit of RATE_LIMITS) this.limited.inc({ limit }, 0);
    this.closed = new Counter({
      name: 'rupa_http_connections_closed_total',
      help: 'Connections that the API closed because of a limit, by the limit',
      labelNames: ['reason'],
      registers: [registry],
    });
    for (const reason of CLOSING_REASONS) this.closed.inc({ reason }, 0);
  }

  responded(method: string, route: string, status: number, seconds: number): void {
    this.duration.observe({ method, route, status }, seconds);
  }

  connectionClosed(reason: ClosingReason): void {
    this.closed.inc({ reason });
  }

  rateLimited(limit: RateLimitName): void {
    this.limited.inc({ limit });
  }
}
