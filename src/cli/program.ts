import { listAudit } from './audit/list.js';
import { demo } from './demo.js';
import { doctor } from './doctor.js';
import { adoptEvents } from './events/adopt.js';
import { copyEvents } from './events/copy.js';
import { tailEvents } from './events/tail.js';
import { eraseFarmer } from './farmers/erase.js';
import { importFarmerRecords } from './farmers/import.js';
import { reportFarmer } from './farmers/report.js';
import { retireKey } from './keys/retire.js';
import { rotateMasterKeys } from './keys/rotate.js';
import { keysStatus } from './keys/status.js';
import { trialBalance } from './ledger/trial-balance.js';
import { activatePartner } from './partners/activate.js';
import { createPartner } from './partners/create.js';
import { creditPartner } from './partners/credit.js';
import { issueKey } from './partners/key.js';
import { listPartners } from './partners/list.js';
import { priceHistory } from './prices/history.js';
import { publishPrices } from './prices/publish.js';
import { projectionsStatus } from './projections/status.js';
import { rebuildProjections } from './projections/rebuild.js';
import { retryProjection } from './projections/retry.js';
import { verifyProjections } from './projections/verify.js';
import { RupaCommand } from './rupa-command.js';
import { type CommandRuntime } from './runtime.js';
import { explainLookup } from './wallet/explain.js';
import { exportWallet } from './wallet/export.js';
import { replayWalletEntries } from './wallet/replay.js';
import { walletStatement } from './wallet/statement.js';
import { verifyWallets } from './wallet/verify.js';

/** Adds a command to its parent. */
export type AddCommand = (parent: RupaCommand, runtime: CommandRuntime) => void;

interface Group {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly AddCommand[];
}

/** The whole command line: a folder of src/cli for each group, a file for each command. */
const TREE: readonly (Group | AddCommand)[] = [
  { name: 'farmers', description: 'the farmers’ records', commands: [importFarmerRecords, reportFarmer, eraseFarmer] },
  demo,
  {
    name: 'partners',
    description: 'partners, their keys and their money',
    commands: [listPartners, createPartner, activatePartner, issueKey, creditPartner],
  },
  { name: 'prices', description: 'the price book', commands: [priceHistory, publishPrices] },
  { name: 'ledger', description: 'the books over all wallets, in double entry', commands: [trialBalance] },
  {
    name: 'wallet',
    description: 'partners’ prepaid money, as the log has it',
    commands: [replayWalletEntries, verifyWallets, exportWallet, walletStatement, explainLookup],
  },
  {
    name: 'projections',
    description: 'the read models: where they are, rebuild, compare with the log',
    commands: [projectionsStatus, rebuildProjections, verifyProjections, retryProjection],
  },
  {
    name: 'keys',
    description: 'the master keys, which encrypt farmers’ data keys and webhooks’ secrets',
    commands: [keysStatus, rotateMasterKeys, retireKey],
  },
  { name: 'audit', description: 'what administrators and auditors did', commands: [listAudit] },
  {
    name: 'events',
    description: 'the log: read it, move it, go on with a restored one',
    commands: [tailEvents, copyEvents, adoptEvents],
  },
  doctor,
];

/** The command line as a tree of commands, which run on `runtime`. */
export function buildProgram(runtime: CommandRuntime): RupaCommand {
  const program = new RupaCommand('rupa')
    .description('The ledger’s command line. It works beside a running service, on the same settings.')
    .showHelpAfterError()
    .exitOverride();
  // A subcommand copies its parent's configuration when it is made, so the parent is configured first.
  for (const entry of TREE) {
    if (typeof entry === 'function') entry(program, runtime);
    else addGroup(program, entry, runtime);
  }
  program.hook('preAction', (_program, command) => {
    if (command instanceof RupaCommand) runtime.begin(command.invocation());
  });
  return program;
}

function addGroup(program: RupaCommand, { name, description, commands }: Group, runtime: CommandRuntime): void {
  const group = program.command(name).description(description);
  for (const add of commands) add(group, runtime);
}
