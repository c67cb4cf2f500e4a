import { type INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError } from 'commander';
import { type Pool } from 'pg';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { unusableEvents } from '../../platform/unusable-events/unusable-table.js';
import { decisionReason } from '../support/values.js';
import { printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { OPERATIONS_ID, OPERATIONS_STREAMS } from '../../platform/unusable-events/domain/skip-event.js';
import { StreamWriter } from '../../platform/event-sourcing/writing/stream-writer.js';

export function skipEvent(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .argument('<position>', 'position of the event, as rupa doctor and rupa projections status print it', position)
    .requiredOption('--reason <text>', 'why the event may be passed over; the log shows it', decisionReason)
    .action(async (at: string, { reason }: { readonly reason: string }) => {
      printLine(await runtime.withApplication((app) => skip(app, at, { reason, actor: runtime.actor })));
    });
}

function position(text: string): string {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError('It must be a position, as rupa projections status prints it.');
  return BigInt(text).toString();
}

/** Appends the decision, and returns once the read models follow it. @throws Error if no event at the position was set aside */
async function skip(app: INestApplicationContext, at: string, by: { readonly reason: string; readonly actor: string }): Promise<string> {
  const [pool, readModels] = [app.get<Pool>(POOL), app.get(ReadModels)];
  await readModels.waitForAll();
  const event = (await unusableEvents(pool)).find((each) => each.position === at);
  if (!event)
    throw new Error(
      `No event at position ${at} is set aside, so there is nothing to skip. rupa projections status lists the events that are.`,
    );
  const { event_id, stream, revision } = event;
  const decision = { event_id, stream, revision, position: at, at: new Date().toISOString(), ...by };
  const committed = await new StreamWriter(app.get(EventStore), app.get(Codec), OPERATIONS_STREAMS).execute(OPERATIONS_ID, decision);
  const isShown = await readModels.waitFor(committed);
  const skipped = `The event ${event_id} (${stream} at revision ${revision}, position ${at}) is skipped.`;
  return isShown ? skipped : `${skipped} Calls that need its stream are served again once a projector has read the decision.`;
}
