import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { inSpan } from './spans.js';
import { type TracingOptions } from './start-tracing.js';

/** Makes the CommandBus run every command in a span. */
export function traceCommands(app: INestApplicationContext, { enabled }: Pick<TracingOptions, 'enabled'>): void {
  if (!enabled) return;
  const bus = app.get(CommandBus);
  const untraced: (command: object) => Promise<unknown> = bus.execute.bind(bus);
  // The span has only the command's name, because the command's fields may be personal.
  const traced = (command: object): Promise<unknown> => {
    const name = command.constructor.name;
    return inSpan(
      name,
      () => ({ attributes: { 'rupa.command': name } }),
      () => untraced(command),
    );
  };
  Object.assign(bus, { execute: traced });
}
