import { Command, CommanderError } from 'commander';
import dotenv from 'dotenv';
import 'reflect-metadata';
import { audit } from '../cli/audit.js';
import { demo } from '../cli/demo.js';
import { doctor } from '../cli/doctor.js';
import { events } from '../cli/events.js';
import { farmers } from '../cli/farmers.js';
import { keys } from '../cli/keys.js';
import { ledger } from '../cli/ledger.js';
import { complain } from '../cli/output.js';
import { partners } from '../cli/partners.js';
import { prices } from '../cli/prices.js';
import { projections } from '../cli/projections.js';
import { noteCommand } from '../cli/recorded.js';
import { wallet } from '../cli/wallet.js';
import { Refusal } from '../platform/event-sourcing/decider.js';
import { answerTo } from '../http/refusals.js';

/** admin.md: 0 for done, 1 for a fault found, 2 for wrong usage. */
const FAULT = 1;
const WRONG_USAGE = 2;

dotenv.config({ quiet: true });

const program = new Command('rupa')
  .description('The ledger’s command line. It works beside a running service, on the same settings.')
  .showHelpAfterError()
  .exitOverride();
// Sub-commands take over the settings of their parent when they are made.
for (const add of [farmers, demo, partners, prices, ledger, wallet, projections, keys, audit, events, doctor]) add(program);
program.hook('preAction', (_program, command) => {
  noteCommand(command);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  } else {
    complain(error instanceof Refusal ? answerTo(error).message : (error as Error).message);
    // A part that could not come up leaves timers of others behind, which nobody can end.
    process.exit(FAULT);
  }
}
