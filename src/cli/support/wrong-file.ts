import { type Command } from 'commander';

/** Ends the command as wrong usage, with a sentence that names the argument `file` as Commander names arguments. */
export function wrongFile(command: Command, file: string, reason: string): never {
  return command.error(`error: command-argument value '${file}' is invalid for argument 'file'. ${reason}`, {
    code: 'commander.invalidArgument',
  });
}
