import { describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { Failures } from '../../src/http/envelope.js';
import { startHealthServer } from '../../src/operations/health/health-server.js';
import { type Readiness } from '../../src/operations/health/readiness.js';
import { startMetricsServer } from '../../src/operations/metrics/serve.js';
import { openRaw } from '../support/hostile/raw-socket.js';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Sends requests on one connection and waits until the server closes it. */
async function flood(port: number, requests: string): Promise<void> {
  const socket = await openRaw(port);
  await socket.send(requests);
  expect(await socket.closedOr(() => false)).toBe(true);
}

describe('the server of the health endpoints', () => {
  it.each([10, 1_000])('asks the stores once for a connection that sends %i requests', async (count) => {
    let asked = 0;
    const readiness = {
      degradedBy: () => Promise.resolve([]),
      faults: () => {
        asked += 1;
        return Promise.resolve([]);
      },
    } as unknown as Readiness;
    const server = await startHealthServer(
      { readiness, maintenance: { inForce: () => Promise.resolve(null) }, failures: new Failures('https://rupa.example') },
      '127.0.0.1',
      0,
    );
    await flood(Number(new URL(server.address).port), get('/health').repeat(count));
    expect(asked).toBe(1);
    await server.close();
  });
});

describe('the server of the metrics', () => {
  it('collects once at a time for a connection that sends a thousand requests', async () => {
    let collecting = 0;
    const never = (): Promise<never> => {
      collecting += 1;
      return new Promise(() => undefined);
    };
    const server = await startMetricsServer({ port: 0, host: '127.0.0.1' }, [never], pino({ level: 'silent' }));
    await flood(server.port, get('/metrics').repeat(1_000));
    expect(collecting).toBe(1);
    await server.stop();
  });

  it('keeps an idle connection for longer than scrapers do', async () => {
    const server = await startMetricsServer({ port: 0, host: '127.0.0.1' }, [], pino({ level: 'silent' }));
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    await response.text();
    expect(response.headers.get('keep-alive')).toBe('timeout=72');
    await server.stop();
  });
});
