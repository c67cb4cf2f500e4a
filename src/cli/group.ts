import { type RupaCommand } from './rupa-command.js';
import { type CommandRuntime } from './runtime.js';

/** Declares the arguments, options and action of a command. */
type Configure = (command: RupaCommand, runtime: CommandRuntime) => void;

export interface Leaf {
  readonly name: string;
  readonly description: string;
  /** Imports the file of the command. Only a run of the command or its help needs that file and everything that it imports. */
  readonly load: () => Promise<Configure>;
}

/** Commands with a common first word, such as `rupa partners`. */
export interface Group {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly Leaf[];
}
