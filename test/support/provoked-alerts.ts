import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { randomUUID } from 'node:crypto';
import { admin, makePartner } from './client.js';
import { type TestService } from './service.js';
import { type SharedStores, startSharedStores } from './shared-stores.js';
import { freePort } from './starting.js';
import { until } from './until.js';

/** Tells which alerts of ops/prometheus/alerts.yml are true now, for as long as they have to be before they fire. */
export interface AlertObserver {
  active(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

export const PROVOKED_ALERTS = ['RupaDown', 'RupaStoreUnreachable', 'RupaProjectionBehind', 'RupaWebhookFanOutBehind', 'RupaClockSkew'];

const SHIFT_MS = 60_000;

/** Provokes alerts on real processes. @param observe starts an observer of the metrics at these addresses, such as 127.0.0.1:9464 */
export function describeProvokedAlerts(title: string, observe: (targets: readonly string[]) => Promise<AlertObserver>): void {
  describe(title, () => {
    const clock = join(tmpdir(), `rupa-clock-${randomUUID()}`);
    const services = new Map<string, TestService>();
    let stores: SharedStores;
    let observer: AlertObserver;

    const service = (role: string): TestService => {
      const found = services.get(role);
      if (!found) throw new Error(`No process has the role ${role}.`);
      return found;
    };
    const active = async (...alerts: string[]): Promise<void> => {
      await until(async () => {
        const now = await observer.active();
        return alerts.every((alert) => now.has(alert));
      });
    };
    const quiet = async (...alerts: string[]): Promise<void> => {
      await until(async () => {
        const now = await observer.active();
        return alerts.every((alert) => !now.has(alert));
      });
    };

    beforeAll(async () => {
      writeFileSync(clock, '0');
      stores = await startSharedStores();
      const targets: string[] = [];
      for (const role of ['projector', 'api', 'webhooks']) {
        const port = await freePort();
        targets.push(`127.0.0.1:${port}`);
        const NODE_OPTIONS = `--import=${resolve('test/support/shift-clock.mjs')}`;
        const shifted = role === 'api' ? { NODE_OPTIONS, CLOCK_SHIFT: clock } : {};
        services.set(role, await stores.start(role, { METRICS_PORT: String(port), ...shifted }));
      }
      observer = await observe(targets);
    });
    afterAll(async () => {
      await observer.close();
      await stores.close();
      rmSync(clock);
    });

    it('are quiet while everything works', async () => {
      await makePartner(service('api'), { mode: 'sandbox' });
      await quiet(...PROVOKED_ALERTS);
    });

    it('report a clock that is wrong', async () => {
      writeFileSync(clock, String(SHIFT_MS));
      await active('RupaClockSkew');
      writeFileSync(clock, '0');
      await quiet('RupaClockSkew');
    });

    it('report an event store that hangs', async () => {
      stores.store.pause();
      await active('RupaStoreUnreachable');
      stores.store.resume();
      await quiet('RupaStoreUnreachable');
    });

    it('report processes that are gone, and the work that nobody does', async () => {
      await service('projector').kill();
      await service('webhooks').kill();
      await active('RupaDown');
      // Nothing shows this farmer and notifies of it any more.
      await admin(service('api'), 'PUT', '/farmers/rp-1', { mode: 'sandbox' }).catch(() => undefined);
      await active('RupaProjectionBehind', 'RupaWebhookFanOutBehind');
      await service('projector').restart();
      await service('webhooks').restart();
      await quiet('RupaDown', 'RupaProjectionBehind', 'RupaWebhookFanOutBehind');
    });
  });
}
