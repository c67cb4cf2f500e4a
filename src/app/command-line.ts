import { CommanderError } from 'commander';
import dotenv from 'dotenv';
import 'reflect-metadata';
import { buildProgram } from '../cli/program.js';
import { printError } from '../cli/support/output.js';
import { ValidationFailed } from '../kernel/validation-failed.js';
import { errorResponses } from './registered-errors.js';
import { StoresMissing } from './stores.js';
import { ServiceRuntime } from './command-line/service-runtime.js';

// Exit codes (admin, "The command line"): 0 for done, 1 for a fault found, 2 for wrong usage.
const FAULT = 1;
const WRONG_USAGE = 2;

dotenv.config({ quiet: true });

try {
  await buildProgram(new ServiceRuntime()).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  } else if (error instanceof ValidationFailed) {
    printError(error.sentences.join('\n'));
    process.exit(WRONG_USAGE);
  } else if (error instanceof StoresMissing) {
    printError(error.message);
    process.exit(WRONG_USAGE);
  } else {
    printError(errorResponses.to(error)?.message ?? (error as Error).message);
    // If one part failed to start, timers of the others would keep the process alive.
    process.exit(FAULT);
  }
}
