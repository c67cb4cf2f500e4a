import { listAudit } from './audit/list.js';
import { demo } from './demo.js';
import { doctor } from './doctor.js';
import { adoptEvents } from './events/adopt.js';
import { checkEvents } from './events/check.js';
import { copyEvents } from './events/copy.js';
import { tailEvents } from './events/tail.js';
import { eraseFarmer } from './farmers/erase.js';
import { importFarmerRecords } from './farmers/import.js';
import { reportFarmer } from './farmers/report.js';
import { retireKey } from './keys/retire.js';
import { rotateMasterKeys } from './keys/rotate.js';
import { rotateCheckpointKey } from './keys/rotate-checkpoint.js';
import { keysStatus } from './keys/status.js';
import { makeCheckpoint } from './ledger/checkpoint.js';
import { reconcilePayments } from './ledger/reconcile.js';
import { trialBalance } from './ledger/trial-balance.js';
import { verifyCheckpoint } from './ledger/verify-checkpoint.js';
import { activatePartner } from './partners/activate.js';
import { createPartner } from './partners/create.js';
import { creditPartner } from './partners/credit.js';
import { issueKey } from './partners/key.js';
import { reverseCredit } from './partners/reverse.js';
import { listPartners } from './partners/list.js';
import { priceHistory } from './prices/history.js';
import { publishPrices } from './prices/publish.js';
import { projectionsStatus } from './projections/status.js';
import { rebuildProjections } from './projections/rebuild.js';
import { retryProjection } from './projections/retry.js';
import { verifyProjections } from './projections/verify.js';
import { RupaCommand } from './rupa-command.js';
import { type CommandRuntime } from './runtime.js';
import { compensateLookup } from './wallet/compensate.js';
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

/** All commands. Each group has a folder in src/cli, each command a file. */
const TREE: readonly (Group | AddCommand)[] = [
  { name: 'farmers', description: 'manage farmers’ records', commands: [importFarmerRecords, reportFarmer, eraseFarmer] },
  demo,
  {
    name: 'partners',
    description: 'manage partners, their API keys and their credit',
    commands: [listPartners, createPartner, activatePartner, issueKey, creditPartner, reverseCredit],
  },
  { name: 'prices', description: 'show and publish the price book', commands: [priceHistory, publishPrices] },
  {
    name: 'ledger',
    description: 'print the double-entry books over all wallets, and compare them with a bank’s payments; make and verify checkpoints',
    commands: [trialBalance, reconcilePayments, makeCheckpoint, verifyCheckpoint],
  },
  {
    name: 'wallet',
    description: 'inspect, verify, export and correct partners’ wallets',
    commands: [replayWalletEntries, verifyWallets, exportWallet, walletStatement, explainLookup, compensateLookup],
  },
  {
    name: 'projections',
    description: 'inspect, rebuild and verify the read models',
    commands: [projectionsStatus, rebuildProjections, verifyProjections, retryProjection],
  },
  {
    name: 'keys',
    description: 'manage the master keys, which encrypt farmers’ data keys and the service’s secrets, and the key that signs checkpoints',
    commands: [keysStatus, rotateMasterKeys, retireKey, rotateCheckpointKey],
  },
  { name: 'audit', description: 'read the audit trail of administrators, auditors and operators', commands: [listAudit] },
  {
    name: 'events',
    description: 'read the log, check it, move it, or adopt a restored one',
    commands: [tailEvents, checkEvents, copyEvents, adoptEvents],
  },
  doctor,
];

/** Builds the tree of commands, which run on `runtime`. */
export function buildProgram(runtime: CommandRuntime): RupaCommand {
  const program = new RupaCommand('rupa')
    .description('Command line of the ledger. It uses the settings of the service and works whether the service runs or not.')
    .showHelpAfterError()
    .exitOverride();
  // A subcommand copies its parent's configuration when it is created, so the parent is configured first.
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
