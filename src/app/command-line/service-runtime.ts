import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type CommandRuntime, type Finding, type Invocation, type LogCheck, type OpenKeys, type OpenLog } from '../../cli/runtime.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { masterKeysOf } from '../../platform/key-store/key-file.js';
import { NestLogger } from '../../platform/logging/nest-logger.js';
import { createApplication } from '../application.js';
import { startBackgroundThread } from '../background/background-thread.js';
import { checkEgress } from '../doctor/check-egress.js';
import { examineDeployment } from '../doctor/examine-deployment.js';
import { refuseForeignKeys } from '../foreign-keys.js';
import { type Progress } from '../../platform/projecting/shadow.js';
import { createEventStore, createStoreClients } from '../platform.js';
import { audited } from './audited.js';
import { checkFiles, checkThroughStore, idleLogFolder } from './check-log.js';
import { type OpenStores, readCommandSettings, withStores } from './with-stores.js';

/** Long reads of the log put load on the store; a slow response then does not mean that the store hangs. */
const LOG_STALL_TIMEOUT_MS = 30_000;
const LOG_POOL_SIZE = 1;
const KEYS_POOL_SIZE = 2;

/** Runs commands on the stores of the service and records those that change something in the audit trail. */
export class ServiceRuntime implements CommandRuntime {
  private invocation: Invocation | undefined;

  begin(invocation: Invocation): void {
    this.invocation = invocation;
  }

  async withApplication<T>(work: (app: INestApplicationContext) => Promise<T>, { project } = { project: true }): Promise<T> {
    return await this.withStores(async (open) => {
      if (!open.opened || !project) return await onApplication(open, work);
      const { stores, settings } = open;
      const background = await startBackgroundThread({ stores, settings, roles: ['projector'] });
      try {
        return await onApplication(open, work);
      } finally {
        await background.stop();
      }
    });
  }

  async withLog<T>(work: (log: OpenLog) => Promise<T>): Promise<T> {
    return await this.withStores(async ({ stores, logger }) => {
      const options = { poolSize: LOG_POOL_SIZE, logger, stallTimeoutMs: LOG_STALL_TIMEOUT_MS };
      const { pool, eventStore, close } = createStoreClients(stores, options);
      const others: EventStore[] = [];
      const connect = (url: string): EventStore => {
        const other = createEventStore(url, options);
        others.push(other);
        return other;
      };
      try {
        return await work({ eventStore, eventStoreUrl: stores.eventStoreUrl, pool, connect });
      } finally {
        await Promise.all(others.map((other) => other.close()));
        await close();
      }
    });
  }

  async checkLog(onProgress: (progress: Progress) => void): Promise<LogCheck> {
    const folder = await idleLogFolder(readCommandSettings());
    return folder === undefined
      ? await this.withLog(({ eventStore }) => checkThroughStore(eventStore, onProgress))
      : await checkFiles(folder, onProgress);
  }

  async withKeys<T>(work: (keys: OpenKeys) => Promise<T>): Promise<T> {
    return await this.withStores(async ({ stores, logger }) => {
      const { pool, close } = createStoreClients(stores, { poolSize: KEYS_POOL_SIZE, logger });
      try {
        return await work({ pool, masterKeys: () => masterKeysOf(stores), file: stores.masterKeyFile });
      } finally {
        await close();
      }
    });
  }

  async examine({ egressUrl }: { readonly egressUrl: string | undefined }): Promise<readonly Finding[]> {
    const findings = await examineDeployment(readCommandSettings);
    return egressUrl === undefined ? findings : [...findings, await checkEgress(egressUrl)];
  }

  private async withStores<T>(work: (open: OpenStores) => Promise<T>): Promise<T> {
    const { invocation } = this;
    if (!invocation) throw new Error('begin() must be called before a command uses the stores.');
    return await withStores(
      (open) => (invocation.audited ? audited(invocation, open.stores.eventStoreUrl, () => work(open)) : work(open)),
      { create: invocation.createsStores },
    );
  }
}

async function onApplication<T>(open: OpenStores, work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  await refuseForeignKeys(open.stores);
  const { app, close } = await createApplication(open, (module) =>
    NestFactory.createApplicationContext(module, { logger: new NestLogger(open.logger), abortOnError: false }),
  );
  try {
    return await work(app);
  } finally {
    await close();
  }
}
