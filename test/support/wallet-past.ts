import { type Dated, type DomainEvent, Rejection } from '../../src/platform/event-sourcing/decider.js';
import { type StreamKind } from '../../src/platform/event-sourcing/stream-kind.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type EventCatalogue } from '../../src/platform/event-sourcing/coding/event-schema.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { storesOf } from './service-log.js';
import { type Application } from './service.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { openPatiently } from './patient-log.js';
import { testPool } from './database.js';

/**
 * Executes commands at the times that they name. A command that the wallet rejects is skipped.
 * @param catalogue the event types as the release knows them that executed the commands
 */
export async function givenPast(
  service: Application,
  commands: readonly WalletCommand[],
  catalogue: EventCatalogue = eventCatalogue,
): Promise<void> {
  await execute(service, WALLET_STREAMS, commands, catalogue);
}

/** Registers a partner at a time. */
export async function givenPartner(service: Application, partner_id: string, at: string): Promise<void> {
  const command = {
    kind: 'register',
    partner_id,
    company_name: partner_id,
    account_type: 'bank',
    mode: 'live',
    at,
    actor: 'test',
  } as const;
  await execute(service, PARTNER_STREAMS, [command], eventCatalogue);
}

async function execute<State, Command extends Dated & { readonly partner_id: string }, Event extends DomainEvent>(
  service: Application,
  kind: StreamKind<State, Command, Event>,
  commands: readonly Command[],
  catalogue: EventCatalogue,
): Promise<void> {
  const { eventStoreUrl, databaseUrl, masterKey } = await storesOf(service);
  const pool = testPool(databaseUrl, 1);
  const eventStore = openPatiently(eventStoreUrl);
  try {
    const stream = new StreamWriter(eventStore, new Codec(catalogue, new DataKeys(pool, MasterKeys.parse(masterKey))), kind);
    for (const command of commands) {
      await stream.execute(command.partner_id, command).catch((error: unknown) => {
        if (!(error instanceof Rejection)) throw error;
      });
    }
  } finally {
    await eventStore.close();
    await pool.end();
  }
}
