import { inSpan } from './spans.js';

/** Runs a command in a span. The span has only the command's name, because the command's fields may be personal. */
export async function inCommandSpan<T>(command: object, work: () => Promise<T>): Promise<T> {
  const name = command.constructor.name;
  return await inSpan(name, () => ({ attributes: { 'rupa.command': name } }), work);
}

/** Runs a command with its handler, without the CommandBus, in the same kind of span. */
export async function runCommand<C extends object, Result>(handler: { execute(command: C): Promise<Result> }, command: C): Promise<Result> {
  return await inCommandSpan(command, () => handler.execute(command));
}
