import { inSpan } from './spans.js';

/** Carries a command out in a span that has the command's name and nothing else of it: what a command carries may be personal. */
export async function inCommandSpan<T>(command: object, work: () => Promise<T>): Promise<T> {
  const name = command.constructor.name;
  return await inSpan(name, () => ({ attributes: { 'rupa.command': name } }), work);
}

/** Runs the next command of a use case by its handler, in the same kind of span as a command that the CommandBus carries. */
export async function runCommand<C extends object, Result>(handler: { execute(command: C): Promise<Result> }, command: C): Promise<Result> {
  return await inCommandSpan(command, () => handler.execute(command));
}
