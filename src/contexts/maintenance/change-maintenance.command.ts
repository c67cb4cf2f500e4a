import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Clock } from '../../kernel/clock.js';
import { type Codec } from '../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { StreamWriter, Streams, type WriterOf } from '../../platform/event-sourcing/writing/stream-writer.js';
import { POOL } from '../../platform/injection-tokens.js';
import { announceToAll } from '../../platform/projecting/in-memory/directory-changes.js';
import { type Maintenance, MAINTENANCE_ID, MAINTENANCE_STREAMS, type MaintenanceCommand } from './domain/maintenance.js';
import { type MaintenanceDto } from './maintenance.dto.js';

/**
 * Begins maintenance, or replaces its reason and its end, and completes once no instance accepts a call that changes something.
 * @throws ValidationFailed for an end that has passed or is too far away; NotYetInForce if it is recorded, but not in force in time
 */
export class BeginMaintenance extends Command<Maintenance | null> {
  constructor(
    readonly announcement: MaintenanceDto,
    readonly actor: string,
  ) {
    super();
  }
}

/** Ends maintenance, and completes once every instance accepts all calls. Without maintenance, it changes nothing. */
export class EndMaintenance extends Command<Maintenance | null> {
  constructor(readonly actor: string) {
    super();
  }
}

@CommandHandler(BeginMaintenance)
export class BeginMaintenanceHandler implements ICommandHandler<BeginMaintenance> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async execute({ announcement, actor }: BeginMaintenance): Promise<Maintenance | null> {
    return await change(this.streams.of(MAINTENANCE_STREAMS), this.pool, beginCommand(announcement, this.clock.iso(), actor));
  }
}

@CommandHandler(EndMaintenance)
export class EndMaintenanceHandler implements ICommandHandler<EndMaintenance> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async execute({ actor }: EndMaintenance): Promise<Maintenance | null> {
    return await change(this.streams.of(MAINTENANCE_STREAMS), this.pool, { kind: 'end', at: this.clock.iso(), actor });
  }
}

/** The stores of a service that may not run, such as one that is being restored. */
interface MaintenanceStores {
  readonly eventStore: EventStore;
  readonly codec: Codec;
  readonly pool: Pool;
}

/** Begins maintenance without the application, which does not start on stores that do not belong together. */
export async function beginMaintenance(
  stores: MaintenanceStores,
  announcement: MaintenanceDto,
  actor: string,
): Promise<Maintenance | null> {
  return await change(writerOn(stores), stores.pool, beginCommand(announcement, new Date().toISOString(), actor));
}

/** Ends maintenance without the application. Returns whether it was in force. */
export async function endMaintenance(stores: MaintenanceStores, actor: string): Promise<boolean> {
  const writer = writerOn(stores);
  const { events } = await writer.execute(MAINTENANCE_ID, { kind: 'end', at: new Date().toISOString(), actor });
  await announceToAll(stores.pool);
  return events.length > 0;
}

/** A repeated command, which appends nothing, is announced as well: the first one may not have come that far. */
async function change(
  writer: Pick<WriterOf<typeof MAINTENANCE_STREAMS>, 'execute'>,
  pool: Pool,
  command: MaintenanceCommand,
): Promise<Maintenance | null> {
  const { state } = await writer.execute(MAINTENANCE_ID, command);
  await announceToAll(pool);
  return state;
}

function beginCommand({ reason, until }: MaintenanceDto, at: string, actor: string): MaintenanceCommand {
  return { kind: 'begin', reason, until: until == null ? null : new Date(until).toISOString(), at, actor };
}

function writerOn({ eventStore, codec }: MaintenanceStores): WriterOf<typeof MAINTENANCE_STREAMS> {
  return new StreamWriter(eventStore, codec, MAINTENANCE_STREAMS);
}
