import { approvals } from './approvals/group.js';
import { audit } from './audit/group.js';
import { events } from './events/group.js';
import { farmers } from './farmers/group.js';
import { type Group, type Leaf } from './group.js';
import { keys } from './keys/group.js';
import { ledger } from './ledger/group.js';
import { lookups } from './lookups/group.js';
import { maintenance } from './maintenance/group.js';
import { partners } from './partners/group.js';
import { prices } from './prices/group.js';
import { projections } from './projections/group.js';
import { RupaCommand } from './rupa-command.js';
import { type CommandRuntime } from './runtime.js';
import { wallet } from './wallet/group.js';
import { webhooks } from './webhooks/group.js';

/** All commands. Each group has a folder in src/cli, each command a file. */
const TREE: readonly (Group | Leaf)[] = [
  farmers,
  {
    name: 'demo',
    description: 'create a sandbox world to try the service with: three partners with API keys and funded wallets, and farmers',
    load: async () => (await import('./demo.js')).demo,
  },
  partners,
  prices,
  ledger,
  wallet,
  approvals,
  lookups,
  webhooks,
  projections,
  keys,
  audit,
  events,
  maintenance,
  {
    name: 'doctor',
    description: 'check the settings and stores of a deployment, whether the service runs or not; exits with 1 if something is wrong',
    load: async () => (await import('./doctor.js')).doctor,
  },
];

/** Builds the tree of commands, which run on `runtime`. A command's file is loaded when the command is parsed. */
export function buildProgram(runtime: CommandRuntime, version = ''): RupaCommand {
  const program = new RupaCommand('rupa')
    .description('Command line of the ledger. It uses the settings of the service and works whether the service runs or not.')
    .version(version, '-V, --version', 'print the version')
    .showHelpAfterError('(add --help to see how to use the command)')
    .exitOverride();
  // A subcommand copies its parent's configuration when it is created, so the parent is configured first.
  for (const entry of TREE) {
    if ('load' in entry) addLeaf(program, entry, runtime);
    else {
      const group = program.command(entry.name).description(entry.description);
      for (const leaf of entry.commands) addLeaf(group, leaf, runtime);
    }
  }
  program.hook('preAction', (_program, command) => {
    if (command instanceof RupaCommand) runtime.begin(command.invocation());
  });
  return program;
}

/** Loads every command below `command`, which a run does only for the one that it runs. */
export async function loadCommands(command: RupaCommand): Promise<RupaCommand> {
  await command.load();
  for (const child of command.commands as RupaCommand[]) await loadCommands(child);
  return command;
}

function addLeaf(parent: RupaCommand, { name, description, load }: Leaf, runtime: CommandRuntime): void {
  const command = parent.command(name).description(description);
  command.loadWith(async () => {
    (await load())(command, runtime);
  });
}
