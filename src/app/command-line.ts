import { CommanderError } from 'commander';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { buildProgram } from '../cli/program.js';
import { printError } from '../cli/support/output.js';
import { ValidationFailed } from '../kernel/validation-failed.js';
import { REPLACEMENT } from '../platform/utf8.js';
import { ServiceRuntime } from './command-line/service-runtime.js';
import { StoresMissing } from '../stores/stores.js';

// Exit codes (admin, "The command line"): 0 for done, 1 for a fault found, 2 for wrong usage.
const FAULT = 1;
const WRONG_USAGE = 2;

try {
  refuseReplacedBytes(process.argv.slice(2));
  await buildProgram(new ServiceRuntime(), version()).parseAsync();
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
    const { explainFailure } = await import('./command-line/explain-failure.js');
    printError(explainFailure(error));
    // If one part failed to start, timers of the others would keep the process alive.
    process.exit(FAULT);
  }
}

/**
 * Node has replaced the bytes of an argument that are not UTF-8, so that different arguments became equal.
 * @throws ValidationFailed
 */
function refuseReplacedBytes(args: readonly string[]): void {
  const wrong = args.find((argument) => argument.includes(REPLACEMENT));
  if (wrong !== undefined)
    throw new ValidationFailed({ argument: [`The argument ${JSON.stringify(wrong)} is not UTF-8. Type it in UTF-8.`] });
}

/** The version of the package, which a build in .build/ and the image have above them. */
function version(): string {
  const path = findPackageJSON('..', import.meta.url);
  return path === undefined ? 'unknown' : (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
