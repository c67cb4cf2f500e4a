import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { inCommandSpan } from './command-span.js';
import { type TracingOptions } from './start-tracing.js';

/** Makes the CommandBus run every command in a span. */
export function traceCommands(app: INestApplicationContext, { enabled }: Pick<TracingOptions, 'enabled'>): void {
  if (!enabled) return;
  const bus = app.get(CommandBus);
  const untraced: (command: object) => Promise<unknown> = bus.execute.bind(bus);
  const traced = (command: object): Promise<unknown> => inCommandSpan(command, () => untraced(command));
  Object.assign(bus, { execute: traced });
}
