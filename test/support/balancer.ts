import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { withinOwnTime } from './own-time.js';

const PROBE_EVERY_MS = 50;
/** Long, because an instance that is slow on a busy machine does not hang. */
const PROBE_TIMEOUT_MS = 5_000;

export interface Balancer {
  readonly url: string;
  /** Returns how many instances receive connections now. */
  ready(): number;
  close(): Promise<void>;
}

/** Starts a TCP load balancer: each connection goes to the next ready instance, or to another one if that instance refuses it. */
export async function startBalancer(instances: readonly { readonly url: string }[]): Promise<Balancer> {
  const open = new Set<Socket>();
  const closing = new AbortController();
  let readyUrls: URL[] = [];
  let turn = 0;
  const isReady = async (url: string): Promise<boolean> =>
    (await withinOwnTime(PROBE_TIMEOUT_MS, (signal) => fetch(`${url}/health/ready`, { signal })).catch(() => undefined))?.status === 200;
  const probe = async (): Promise<void> => {
    const urls = instances.map(({ url }) => url);
    const ready = await Promise.all(urls.map(isReady));
    readyUrls = urls.filter((_, index) => ready[index]).map((url) => new URL(url));
  };
  const forward = (client: Socket, left: number): void => {
    const to = readyUrls[(turn += 1) % readyUrls.length];
    if (!to || left === 0) return void client.destroy();
    const instance = connect(Number(to.port), to.hostname);
    open.add(instance);
    let connected = false;
    instance.once('connect', () => {
      connected = true;
      client.pipe(instance).pipe(client);
    });
    instance.once('error', () => {
      if (connected) client.destroy();
      else forward(client, left - 1);
    });
    instance.once('close', () => open.delete(instance));
    client.once('close', () => instance.destroy());
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    open.add(client);
    client.on('error', () => undefined).once('close', () => open.delete(client));
    forward(client, instances.length);
  });
  await probe();
  const probing = (async () => {
    while (!closing.signal.aborted)
      await delay(PROBE_EVERY_MS, undefined, { signal: closing.signal })
        .then(probe)
        .catch(() => undefined);
  })();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => readyUrls.length,
    close: async () => {
      closing.abort();
      for (const socket of open) socket.destroy();
      await Promise.all([probing, new Promise((resolve) => server.close(resolve))]);
    },
  };
}
