import { type Pool } from 'pg';
import { Gauge } from 'prom-client';
import { type Metrics } from '../../platform/metrics/metrics.js';
import { unusableByCategory } from '../../platform/unusable-events/unusable-table.js';
import { CATEGORIES } from '../../stores/event-streams.js';
import { inTime } from './in-time.js';

/** Exports how many events are set aside because they cannot be used (docs/adr/0030), from the database at each scrape. */
export function watchUnusableEvents(metrics: Metrics, pool: Pool): void {
  const gauge = new Gauge({
    name: 'rupa_unusable_events',
    help: 'Events that the service cannot use and that wait for an operator’s decision, by category of their stream',
    labelNames: ['category'],
    registers: [metrics.registry],
  });
  metrics.beforeCollect(async () => {
    const counts = await inTime(unusableByCategory(pool));
    gauge.reset();
    if (!counts) return;
    for (const category of CATEGORIES) gauge.set({ category }, 0);
    for (const { category, events } of counts) gauge.set({ category }, events);
  });
}
