import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { checkTopology, ownMetrics } from './check-topology.js';

const servers: Server[] = [];

/** Serves the metrics of an API with these numbers of appends to wallets and of conflicts among them. */
async function metricsOf(appends: number, conflicts: number): Promise<string> {
  const text = [
    'rupa_append_conflicts_total{category="contribution"} 9000',
    `rupa_append_conflicts_total{category="wallet"} ${conflicts}`,
    'rupa_append_duration_seconds_count{category="consent"} 5',
    `rupa_append_duration_seconds_count{category="wallet"} ${appends}`,
  ].join('\n');
  const server = createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('the doctor, about the topology,', () => {
  it('warns when more than a fifth of the appends to wallets conflict, over all APIs', async () => {
    expect(await checkTopology([await metricsOf(100, 35), await metricsOf(100, 10)])).toMatchObject([
      {
        status: 'warning',
        found: expect.stringContaining('45 of 200 appends to wallets conflicted'),
        todo: expect.stringContaining('X-API-KEY'),
      },
    ]);
  });

  it('finds nothing wrong with few conflicts, and does not judge few appends', async () => {
    expect(await checkTopology([await metricsOf(200, 40)])).toMatchObject([
      { status: 'ok', found: '40 of 200 appends to wallets conflicted' },
    ]);
    expect(await checkTopology([await metricsOf(99, 99)])).toMatchObject([{ status: 'ok', found: expect.stringContaining('too few') }]);
  });

  it('reports metrics that it cannot read, and judges the others', async () => {
    expect(await checkTopology(['http://127.0.0.1:1/metrics', await metricsOf(200, 0)])).toMatchObject([
      { status: 'warning', found: expect.stringContaining('http://127.0.0.1:1/metrics cannot be read') },
      { status: 'ok' },
    ]);
  });

  it('does not check without an address', async () => {
    expect(await checkTopology([])).toMatchObject([{ status: 'ok', found: expect.stringContaining('--metrics-url') }]);
  });

  it.each([
    [undefined, '127.0.0.1', []],
    [0, '127.0.0.1', []],
    [9464, '0.0.0.0', ['http://127.0.0.1:9464/metrics']],
    [9464, '::', ['http://[::1]:9464/metrics']],
    [9464, '10.0.0.7', ['http://10.0.0.7:9464/metrics']],
  ])('reads this process’s own metrics on port %s of %s at %j', (port, host, urls) => {
    expect(ownMetrics({ metrics: { port, host } })).toStrictEqual(urls);
  });
});
