import { Command } from 'commander';
import { redactNonIds } from '../contexts/evidence/domain/admin-audit.js';
import { type Invocation } from './runtime.js';

/** Arguments that are ids. Other arguments may be names, amounts or files. */
const IDS = ['partner', 'rupa-id', 'id', 'name', 'key', 'endpoint', 'delivery', 'position'];

type Effect = 'reads' | 'reads_audited' | 'changes' | 'changes_with_options' | 'changes_unaudited';

/** A command that declares whether it changes anything. The audit trail records a command without that declaration. */
export class RupaCommand extends Command {
  private declared: Effect | undefined;
  private changingOptions: readonly string[] = [];
  private createsMissingStores = false;
  private isServedInMaintenance = false;
  private loading: (() => Promise<void>) | undefined;

  constructor(name?: string) {
    super(name);
    this.hook('preSubcommand', async (_parent, command) => {
      if (command instanceof RupaCommand) await command.load();
    });
  }

  /** Undefined if the command has not declared its effect, which program.spec.ts does not allow. */
  get effect(): Effect | undefined {
    return this.declared;
  }

  override createCommand(name?: string): RupaCommand {
    return new RupaCommand(name);
  }

  /** Sets the function that declares the command's arguments, options and action. */
  loadWith(loading: () => Promise<void>): void {
    this.loading = loading;
  }

  /** Declares the command's arguments, options and action, unless that was done before. */
  async load(): Promise<void> {
    const { loading } = this;
    this.loading = undefined;
    await loading?.();
  }

  /** Declares that the command changes nothing, so that the audit trail does not record it. */
  reads(): this {
    this.declared = 'reads';
    return this;
  }

  /** Declares that the command changes nothing, but hands out so much that the audit trail records it. */
  readsAudited(): this {
    this.declared = 'reads_audited';
    return this;
  }

  /** Declares that the command may change something, so that the audit trail records it before it runs. */
  changes(): this {
    this.declared = 'changes';
    return this;
  }

  /** Declares that the command changes something if it gets one of these options, and reads otherwise. @param options their names in camel case */
  changesWithOptions(options: readonly string[]): this {
    this.declared = 'changes_with_options';
    this.changingOptions = options;
    return this;
  }

  /** Declares that the command may change something but must not be recorded in the audit trail. A comment at the call gives the reason. */
  changesUnaudited(): this {
    this.declared = 'changes_unaudited';
    return this;
  }

  /** Declares that the command creates the embedded stores if they do not exist. Every other command refuses to run without them. */
  createsStores(): this {
    this.createsMissingStores = true;
    return this;
  }

  /**
   * Declares that the command also runs during maintenance, although it changes something: it ends the maintenance, or belongs to the work
   * for which there is one. Every other command that changes something is refused then.
   */
  servedInMaintenance(): this {
    this.isServedInMaintenance = true;
    return this;
  }

  private effectOfRun(): Effect | undefined {
    if (this.effect !== 'changes_with_options') return this.effect;
    return this.changingOptions.some((name) => this.getOptionValue(name) !== undefined) ? 'changes' : 'reads';
  }

  /** Describes this run. The arguments must have been parsed. */
  invocation(): Invocation {
    const effect = this.effectOfRun();
    const given = this.registeredArguments.map((argument, index): [string, unknown] => [argument.name(), this.processedArgs[index]]);
    return {
      route: routeOf(this),
      parameters: redactNonIds(Object.fromEntries(given.filter(([name, value]) => IDS.includes(name) && value !== undefined))),
      audited: effect !== 'reads' && effect !== 'changes_unaudited',
      createsStores: this.createsMissingStores,
      refusedInMaintenance: (effect ?? 'changes') === 'changes' && !this.isServedInMaintenance,
    };
  }
}

/** Returns the full name of a command, such as `rupa wallet verify`. */
export function routeOf(command: Command): string {
  return command.parent ? `${routeOf(command.parent)} ${command.name()}` : command.name();
}
