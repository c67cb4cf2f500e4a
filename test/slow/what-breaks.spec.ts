import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, entriesOf, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { type ServiceUnderLoad, startServiceUnderLoad } from '../support/service-under-load.js';
import { until } from '../support/until.js';

describe('lookups of two APIs behind a balancer', () => {
  let service: ServiceUnderLoad;

  beforeAll(async () => {
    service = await startServiceUnderLoad();
  });
  afterAll(() => service.close());

  const hang = async (process: TestService): Promise<void> => {
    process.pause();
    await service.load.serves().finally(() => {
      process.resume();
    });
  };
  const restart = async (process: TestService): Promise<void> => {
    expect(await process.interrupt('SIGTERM')).toBe(0);
    await service.load.serves();
    await process.restart();
  };
  /** Stops a store, and lets it go on when every client has noticed. */
  const hangStore = async (store: { pause(): void; resume(): void }): Promise<void> => {
    const noticed = service.load.notServed.length + 4;
    store.pause();
    await until(() => service.load.notServed.length >= noticed).finally(() => {
      store.resume();
    });
  };

  it.each([
    ['the projector hangs', () => hang(service.processes.projector)],
    ['the projector is restarted', () => restart(service.processes.projector)],
    ['the sender hangs', () => hang(service.processes.webhooks)],
    ['the sender is restarted', () => restart(service.processes.webhooks)],
  ])('are all served while %s', async (name, trouble) => {
    expect(await service.notServedDuring(name, trouble)).toStrictEqual([]);
  });

  it.each([
    [
      'the clock of one API is 30 s off',
      async () => {
        service.setClockAhead(30_000);
        await until(() => service.balancer.ready() === 1);
        await service.load.serves();
        service.setClockAhead(0);
        await until(() => service.balancer.ready() === 2);
      },
    ],
    [
      'one API is killed',
      async () => {
        await service.processes.other.kill();
        await service.load.serves();
        await service.processes.other.restart();
        await until(() => service.balancer.ready() === 2);
      },
    ],
    [
      'one API hangs',
      async () => {
        service.processes.other.pause();
        await until(() => service.balancer.ready() === 1);
        await service.load.serves();
        service.processes.other.resume();
        await until(() => service.balancer.ready() === 2);
      },
    ],
    [
      'PostgreSQL is killed and restarted',
      async () => {
        await service.postgres.kill();
        await service.postgres.restart();
      },
    ],
    ['PostgreSQL hangs', () => hangStore(service.postgres)],
    [
      'the event store is killed and restarted',
      async () => {
        await service.store.kill();
        await service.store.restart();
      },
    ],
    ['the event store hangs', () => hangStore(service.store)],
  ])('are served again by themselves after %s', async (name, trouble) => {
    await service.notServedDuring(name, trouble);
    await service.recovers();
  });

  // kill-under-load.spec.ts follows each charge to its end.
  it('are each charged once', async () => {
    const { load, bank, processes } = service;
    await load.stop();
    const entries = await entriesOf({ ...processes.one, repeatsChanges: true }, bank);
    const charged = entries.filter(({ type }) => type === 'WalletDebited').map(({ lookup_id }) => lookup_id);
    expect(new Set(charged).size).toBe(charged.length);
    expect(load.lookupIds.filter((id) => !charged.includes(id))).toStrictEqual([]);
    const verified = await whenServed(() => admin(processes.one, 'GET', `/partners/${bank.partner_id}/wallet/verification`));
    expect(verified.body.data).toMatchObject({ ok: true });
  });
});
