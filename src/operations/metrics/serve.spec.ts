import { afterEach, describe, expect, it } from '@jest/globals';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import pino from 'pino';
import { ServiceMetrics } from './service-metrics.js';
import { type MetricsServer, startMetricsServer } from './serve.js';
import { serveMetricsOver, collectMetricsOver } from '../../platform/metrics/thread-port.js';

const logger = pino({ level: 'silent' });

describe('metrics of several threads', () => {
  let server: MetricsServer | undefined;
  const ports: MessagePort[] = [];

  afterEach(async () => {
    await server?.stop();
    for (const port of ports.splice(0)) port.close();
  });

  const serve = async (...sources: Parameters<typeof startMetricsServer>[1]): Promise<string> => {
    server = await startMetricsServer({ port: 0, host: '127.0.0.1' }, sources, logger);
    return await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  };
  /** Returns a source that requests the metrics over a message channel, as from another thread. */
  const ofOtherThread = (metrics: ServiceMetrics): ReturnType<typeof collectMetricsOver> => {
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    serveMetricsOver(port2, metrics);
    const collect = collectMetricsOver(port1);
    // On a busy machine, the thread may not respond in time, and is then left out.
    return async () => {
      let collected = await collect();
      while (collected.length === 0) collected = await collect();
      return collected;
    };
  };

  it('are summed when name and labels are the same', async () => {
    const [one, other] = [new ServiceMetrics(), new ServiceMetrics()];
    one.webhooks.recorded('delivered', 20);
    other.webhooks.recorded('delivered', 30_000);
    other.webhooks.recorded('failed', null);
    const text = await serve(() => one.collect(), ofOtherThread(other));
    expect(text).toContain('rupa_webhook_deliveries_total{outcome="delivered"} 2\n');
    expect(text).toContain('rupa_webhook_deliveries_total{outcome="failed"} 1\n');
    expect(text).toContain('rupa_webhook_attempt_duration_seconds_bucket{le="0.025",outcome="delivered"} 1\n');
    expect(text).toContain('rupa_webhook_attempt_duration_seconds_count{outcome="delivered"} 2\n');
  });

  it('are served without those of a thread that cannot be read', async () => {
    const metrics = new ServiceMetrics();
    metrics.http.rateLimited('partner');
    expect(
      await serve(
        () => metrics.collect(),
        () => Promise.reject(new Error('gone')),
      ),
    ).toContain('rupa_rate_limited_requests_total{limit="partner"} 1\n');
  });

  it('count refunds with an unknown reason as "other"', async () => {
    const metrics = new ServiceMetrics();
    const refund = (reason: string) => ({
      id: 'e',
      type: 'RefundIssued',
      data: { reason },
      metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 },
    });
    metrics.eventStore.appended('wallet', [refund('the response failed'), refund('Zainab asked for it')], 0.001);
    const text = await serve(() => metrics.collect());
    expect(text).toContain('rupa_refunds_total{reason="response_failed"} 1\n');
    expect(text).toContain('rupa_refunds_total{reason="other"} 1\n');
    expect(text).not.toContain('Zainab');
  });
});
