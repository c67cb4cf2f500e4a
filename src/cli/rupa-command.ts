import { Command } from 'commander';
import { redactNonIds } from '../contexts/admin-audit/domain/admin-audit.js';
import { type Invocation } from './runtime.js';

/** Arguments that are ids. Other arguments may be names, amounts or files. */
const IDS = ['partner', 'rupa-id', 'id', 'name'];

type Effect = 'reads' | 'changes' | 'changes_unaudited';

/** A command that says itself whether it changes anything. One that does not say so is recorded in the audit trail. */
export class RupaCommand extends Command {
  private declared: Effect | undefined;

  /** Undefined where the command never said it, which the spec of the program refuses. */
  get effect(): Effect | undefined {
    return this.declared;
  }

  override createCommand(name?: string): RupaCommand {
    return new RupaCommand(name);
  }

  /** Declares that the command changes nothing: the audit trail leaves it out. */
  reads(): this {
    this.declared = 'reads';
    return this;
  }

  /** Declares that the command may change something: the audit trail records it before it runs. */
  changes(): this {
    this.declared = 'changes';
    return this;
  }

  /** Declares that the command may change something but must not append to the audit trail. The caller's comment gives the reason. */
  changesUnaudited(): this {
    this.declared = 'changes_unaudited';
    return this;
  }

  /** This run, once the arguments are parsed. */
  invocation(): Invocation {
    const given = this.registeredArguments.map((argument, place): [string, unknown] => [argument.name(), this.processedArgs[place]]);
    return {
      route: routeOf(this),
      parameters: redactNonIds(Object.fromEntries(given.filter(([name, value]) => IDS.includes(name) && value !== undefined))),
      audited: this.effect !== 'reads' && this.effect !== 'changes_unaudited',
    };
  }
}

/** The words that lead to a command, such as `rupa wallet verify`. */
export function routeOf(command: Command): string {
  return command.parent ? `${routeOf(command.parent)} ${command.name()}` : command.name();
}
