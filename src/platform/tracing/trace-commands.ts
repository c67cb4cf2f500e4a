import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { inSpan } from './spans.js';
import { type TracingOptions } from './start.js';

/** A span for every command, by the command's name: what it carries may be personal. */
export function traceCommands(app: INestApplicationContext, { enabled }: Pick<TracingOptions, 'enabled'>): void {
  if (!enabled) return;
  const bus = app.get(CommandBus);
  const untraced: (command: object) => Promise<unknown> = bus.execute.bind(bus);
  const traced = (command: object): Promise<unknown> =>
    inSpan(
      command.constructor.name,
      () => ({ attributes: { 'rupa.command': command.constructor.name } }),
      () => untraced(command),
    );
  Object.assign(bus, { execute: traced });
}
