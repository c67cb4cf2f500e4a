import { type INestApplicationContext } from '@nestjs/common';
import { type CommandRuntime, type Finding, type Invocation, type LogCheck, type OpenKeys, type OpenLog } from '../../cli/runtime.js';
import { actorOfCall } from '../../contexts/evidence/domain/admin-audit.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { type DataKeys } from '../../platform/key-store/data-keys.js';
import { type Progress } from '../../platform/projecting/rebuilding/shadow.js';
import { type Operator } from './audited.js';
import { type OpenStores } from './with-stores.js';

/** Long reads of the log put load on the store; a slow response then does not mean that the store hangs. */
const LOG_STALL_TIMEOUT_MS = 30_000;
const LOG_POOL_SIZE = 1;
const KEYS_POOL_SIZE = 2;

/**
 * Runs commands on the stores of the service and records those that change something in the audit trail. Each method loads only what it
 * needs: the application alone takes longer to load than most commands run.
 */
export class ServiceRuntime implements CommandRuntime {
  private invocation: Invocation | undefined;
  private operator: Operator | undefined;

  begin(invocation: Invocation): void {
    this.invocation = invocation;
  }

  get actor(): string {
    if (this.operator === undefined) throw new Error('Only a command that changes something has an actor, once it uses the stores.');
    return actorOfCall(this.operator);
  }

  async withApplication<T>(work: (app: INestApplicationContext) => Promise<T>, { project } = { project: true }): Promise<T> {
    const { onApplication } = await import('./on-application.js');
    return await this.withStores((open) => onApplication(open, project, work));
  }

  async withLog<T>(work: (log: OpenLog) => Promise<T>): Promise<T> {
    const { createEventStore, createStoreClients } = await import('../../stores/store-clients.js');
    const { eventCatalogue } = await import('../../stores/event-catalogue.js');
    const { Codec } = await import('../../platform/event-sourcing/coding/codec.js');
    const { masterKeysOf } = await import('../../platform/key-store/master-keys.js');
    const { Secrets } = await import('../../platform/key-store/secrets.js');
    return await this.withStores(async ({ stores, logger, opened }) => {
      const options = { poolSize: LOG_POOL_SIZE, logger, stallTimeoutMs: LOG_STALL_TIMEOUT_MS };
      const { pool, eventStore, close } = createStoreClients(stores, options);
      const others: EventStore[] = [];
      const connect = (url: string): EventStore => {
        const other = createEventStore(url, options);
        others.push(other);
        return other;
      };
      try {
        return await work({
          eventStore,
          eventStoreUrl: stores.eventStoreUrl,
          endsWithService: !opened,
          pool,
          codec: new Codec(eventCatalogue, {} as DataKeys),
          secrets: () => new Secrets(pool, masterKeysOf(stores)),
          connect,
        });
      } finally {
        await Promise.all(others.map((other) => other.close()));
        await close();
      }
    });
  }

  async checkLog(onProgress: (progress: Progress) => void): Promise<LogCheck> {
    const { checkIdleLog, checkThroughStore, idleLogFolder } = await import('../../stores/check-log.js');
    const { readCommandSettings } = await import('./with-stores.js');
    const folder = await idleLogFolder(readCommandSettings());
    return folder === undefined
      ? await this.withLog(({ eventStore }) => checkThroughStore(eventStore, onProgress))
      : await checkIdleLog(folder, onProgress);
  }

  async withKeys<T>(work: (keys: OpenKeys) => Promise<T>): Promise<T> {
    const { createStoreClients } = await import('../../stores/store-clients.js');
    const { masterKeysOf } = await import('../../platform/key-store/master-keys.js');
    return await this.withStores(async ({ stores, logger }) => {
      const { pool, close } = createStoreClients(stores, { poolSize: KEYS_POOL_SIZE, logger });
      try {
        return await work({ pool, masterKeys: () => masterKeysOf(stores), file: stores.masterKeyFile });
      } finally {
        await close();
      }
    });
  }

  async examine({ egressUrl, metricsUrls }: Parameters<CommandRuntime['examine']>[0]): Promise<readonly Finding[]> {
    const { examineDeployment } = await import('../../operations/doctor/examine-deployment.js');
    const { readCommandSettings } = await import('./with-stores.js');
    const findings = await examineDeployment(readCommandSettings, { metricsUrls });
    if (egressUrl === undefined) return findings;
    const { checkEgress } = await import('../../operations/doctor/check-egress.js');
    return [...findings, await checkEgress(egressUrl)];
  }

  private async withStores<T>(work: (open: OpenStores) => Promise<T>): Promise<T> {
    const { invocation } = this;
    if (!invocation) throw new Error('begin() must be called before a command uses the stores.');
    const { withStores } = await import('./with-stores.js');
    const create = invocation.createsStores;
    if (!invocation.audited) return await withStores(work, { create });
    const { audited, operatorOf, refuseCommandInMaintenance } = await import('./audited.js');
    const admitted = async (open: OpenStores): Promise<T> => {
      if (invocation.refusedInMaintenance) await refuseCommandInMaintenance(open.stores);
      return await work(open);
    };
    const recorded = async (open: OpenStores): Promise<T> => {
      const operator = operatorOf(open.settings, open.stores);
      this.operator = operator;
      return await audited(invocation, { stores: open.stores, operator, work: () => admitted(open) });
    };
    return await withStores(recorded, { create });
  }
}
