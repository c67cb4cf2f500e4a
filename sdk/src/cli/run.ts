import { RupaApiError } from '../rupa-api-error.js';
import { RupaClient } from '../rupa-client.js';
import { RupaError } from '../rupa-error.js';
import { VERSION } from '../runtime.js';
import { lookUpFile, reportFile } from './bulk.js';
import { connectionOf, HELP, parseCommandLine } from './command-line.js';
import { listen, resend, trigger } from './commands.js';
import { isOfSystem, type Terminal, UsageError } from './terminal.js';

const COMMANDS = { lookup: lookUpFile, report: reportFile, listen, trigger, resend };
/** Commands that are complete when they are stopped; a file that was stopped is not. */
const ENDLESS: readonly string[] = ['listen', 'trigger', 'resend'];

/**
 * Runs a command line. Returns the exit code: 0 for success and for Ctrl-C while it listens, 1 if a file is not done or cannot be read or
 * written, or the service or the receiver did not do its part, 2 if the command line is wrong.
 * @param printError writes a line to standard error
 */
export async function run(args: readonly string[], terminal: Terminal, printError: (line: string) => void): Promise<0 | 1 | 2> {
  try {
    const line = parseCommandLine(args);
    if (line.command === 'help' || line.command === 'version') {
      terminal.print(line.command === 'help' ? HELP.trimEnd() : VERSION);
      return 0;
    }
    const connection = connectionOf(line, terminal.env);
    const client = new RupaClient({ ...connection, fetch: terminal.fetch });
    return (await COMMANDS[line.command]({ client, apiKey: connection.apiKey }, line, terminal)) ? 0 : 1;
  } catch (error) {
    if (terminal.signal.aborted) return args.some((arg) => ENDLESS.includes(arg)) ? 0 : 1;
    // The client's constructor reports a wrong address or key as a TypeError.
    const isUsage = error instanceof UsageError || error instanceof TypeError;
    if (!isUsage && !(error instanceof RupaError) && !isOfSystem(error)) throw error;
    printError(isUsage ? `${error.message}\nSee rupa-client --help.` : sentence(error));
    return isUsage ? 2 : 1;
  }
}

function sentence(error: Error): string {
  if (!(error instanceof RupaApiError)) return error.message;
  const fields = Object.values(error.fieldErrors).flat().join(' ');
  return `${fields === '' ? error.message : fields} (${error.code}, request ${error.requestId ?? 'without id'})`;
}
