import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { checkTopology, ownMetrics } from './check-topology.js';

const servers: Server[] = [];

/** Serves the metrics of an API with these numbers of appends to wallets, of conflicts among them, and of calls to other APIs. */
async function metricsOf(appends: number, conflicts: number, calls = 0): Promise<string> {
  const text = [
    'rupa_append_conflicts_total{category="contribution"} 9000',
    `rupa_append_conflicts_total{category="wallet"} ${conflicts}`,
    'rupa_append_duration_seconds_count{category="consent"} 5',
    `rupa_append_duration_seconds_count{category="wallet"} ${appends}`,
    'rupa_peer_calls_total{topic="unshown_changes",outcome="executed"} 9000',
    `rupa_peer_calls_total{topic="wallet_commands",outcome="executed"} ${calls}`,
    'rupa_peer_calls_total{topic="wallet_commands",outcome="failed"} 0',
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

  it('warns when APIs that avoid conflicts send more than a call to each other for five appends', async () => {
    expect(await checkTopology([await metricsOf(150, 0), await metricsOf(50, 1, 41)])).toMatchObject([
      {
        status: 'warning',
        found: expect.stringContaining('1 of 200 appends to wallets conflicted, and 41 calls about wallets went to another API'),
        todo: expect.stringContaining('X-API-KEY'),
      },
    ]);
    expect(await checkTopology([await metricsOf(150, 0), await metricsOf(50, 1, 40)])).toMatchObject([{ status: 'ok' }]);
    expect(await checkTopology([await metricsOf(0, 0, 100)])).toMatchObject([{ status: 'warning' }]);
  });

  it('finds nothing wrong with few conflicts, and does not judge few appends', async () => {
    expect(await checkTopology([await metricsOf(200, 40)])).toMatchObject([
      { status: 'ok', found: '40 of 200 appends to wallets conflicted, and 0 calls about wallets went to another API' },
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
