import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication, startApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Collector, type SeenSpan, startCollector } from '../support/collector.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { openLog } from '../support/service-log.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('traces', () => {
  let collector: Collector;
  let receiver: Receiver;
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    [collector, receiver] = await Promise.all([startCollector(), startReceiver()]);
    service = await startApplication({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
      CONSOLE_TRACE_URL: 'https://tempo.example/trace/{trace_id}',
    });
    await admin(service, 'PUT', '/farmers/rp-traced', {
      mode: 'sandbox',
      identity: { full_name: 'Canary Person', phone_number: '+2348012345678' },
    });
    bank = await makePartner(service, { mode: 'sandbox', company_name: 'Canary Bank' });
    await bank.call('POST', '/webhooks', { url: receiver.url });
    await bank.lookup('rp-traced', { source: 'canary-source' });
  });
  afterAll(async () => {
    await service.stop();
    await receiver.close();
    await collector.close();
  });

  const spanOf = async (name: string, traceId: string): Promise<SeenSpan> =>
    await until(() => collector.spans.find((span) => span.name === name && span.traceId === traceId));
  const attributesOf = ({ attributes }: SeenSpan): Record<string, unknown> =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

  it('continue the caller’s trace from the request through its command and append to the delivery', async () => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    const { headers: responseHeaders } = await bank.call(
      'POST',
      '/report',
      { rupa_id: 'rp-traced', event: 'loan_repayment', partner_reference: 'canary-reference' },
      headers,
    );
    const request = await spanOf('POST /v1/rupa/report', TRACE);
    const command = await spanOf('ReportActivity', TRACE);
    const append = await spanOf('append contribution', TRACE);
    const deliver = await spanOf('deliver', TRACE);
    expect([request.parentSpanId, command.parentSpanId, append.parentSpanId, deliver.parentSpanId]).toStrictEqual([
      PARENT,
      request.spanId,
      command.spanId,
      command.spanId,
    ]);
    expect(attributesOf(request)).toStrictEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/rupa/report',
      'http.response.status_code': 200,
      'rupa.correlation_id': responseHeaders.get('X-Request-Id'),
    });
    expect(attributesOf(append)).toStrictEqual({ 'rupa.stream.category': 'contribution', 'rupa.append.events': 1 });
    expect(attributesOf(deliver)).toStrictEqual({
      'rupa.webhook.type': 'farmer.loan_repaid',
      'rupa.webhook.attempt': 1,
      'rupa.webhook.id': receiver.received.at(-1)?.json.id,
      'http.response.status_code': 200,
    });
    for (const name of ['project', 'fan out']) {
      const batch = await until(() =>
        collector.spans.find((span) => span.name === name && span.links?.some(({ traceId }) => traceId === TRACE)),
      );
      expect(batch.links).toContainEqual(expect.objectContaining({ traceId: TRACE, spanId: command.spanId }));
    }
  });

  it('are recorded in the metadata of events, and linked from a lookup in the console', async () => {
    const { traceId } = await until(() => collector.spans.find(({ name }) => name === 'POST /v1/rupa/lookup'));
    const charge = await spanOf('ChargeLookup', traceId);
    const log = await openLog(service);
    try {
      const [debit] = (await log.eventStore.readStream(`wallet-${bank.partner_id}`)).filter(({ type }) => type === 'WalletDebited');
      expect(debit?.metadata.traceparent).toBe(`00-${traceId}-${charge.spanId}-01`);
      const { lookup_id } = debit?.data as { lookup_id: string };
      expect((await admin(service, 'GET', `/lookups/${lookup_id}`)).body.data).toMatchObject({ lookup_id, trace_id: traceId });
      const visitor = new ConsoleVisitor(service);
      await visitor.signIn(service.auditorToken);
      expect(await (await visitor.get(`/console/lookups/${lookup_id}`)).text()).toMatch(
        new RegExp(`<a href="https://tempo\\.example/trace/${traceId}"[^>]*><code>${traceId}</code></a>`),
      );
    } finally {
      await log.eventStore.close();
    }
  });

  it('are not propagated to webhook receivers', () => {
    expect(receiver.received.length).toBeGreaterThan(0);
    for (const { headers } of receiver.received)
      expect(Object.keys(headers).filter((name) => /trace|baggage|request-id/.test(name))).toStrictEqual([]);
  });

  it('contain no personal data, ids, keys or URLs', async () => {
    await bank.call('GET', '/consents?canary=canary-query');
    await until(() => collector.spans.some(({ name }) => name === 'GET /v1/rupa/consents'));
    expect(collector.text()).not.toMatch(/rp-traced|[Cc]anary|2348012345/);
    for (const secret of [bank.partner_id, bank.key, receiver.url]) expect(collector.text()).not.toContain(secret);
  });
});

describe('a service without an endpoint for traces', () => {
  it('records no trace context in its events', async () => {
    const service = await sharedApplication();
    await admin(service, 'PUT', '/farmers/rp-untraced', {});
    const log = await openLog(service);
    const [event] = await log.eventStore.readStream('farmer-rp-untraced');
    await log.eventStore.close();
    expect(event?.metadata).not.toHaveProperty('traceparent');
  });
});
