import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError } from './terminal.js';

export const HELP = `rupa-client: look up and report from files, and try webhooks on your own machine

  rupa-client lookup FILE.csv --out FILE.jsonl [--sections NAME,NAME] [--source TEXT] [--yes]
      Looks up each Rupa ID of a CSV file, 100 at a time, after it has shown what that costs at most. FILE.csv has a column
      rupa_id, or only one column. --yes skips the question.
  rupa-client report FILE.csv|FILE.jsonl --out FILE.jsonl
      Reports each activity of a file. The columns are the fields of a report.
      Both continue where they were ended if you repeat the command; nothing is charged or recorded twice. The state is in
      FILE.jsonl.state.json. --send-again: also after more than 23 hours, when that can no longer be told.

Webhooks, with the key of a sandbox account:

  rupa-client listen --forward-to URL [--events TYPE,TYPE]
      Posts each event of your account to URL as soon as it happens, signed, and shows the response.
  rupa-client trigger TYPE [--rupa-id ID]
      Makes an event of a type, such as farmer.loan_added, about rp-test-gold or another sandbox farmer.
  rupa-client resend EVENT_ID --forward-to URL
      Posts an event of the last 30 days to URL again.

  --url URL            the address of the service; or RUPA_URL
  --api-key-file FILE  a file that contains the API key; or RUPA_API_KEY with the key itself
  --help, --version
`;

const OPTIONS = {
  'forward-to': { type: 'string' },
  events: { type: 'string' },
  'rupa-id': { type: 'string' },
  out: { type: 'string' },
  sections: { type: 'string' },
  source: { type: 'string' },
  yes: { type: 'boolean' },
  'send-again': { type: 'boolean' },
  url: { type: 'string' },
  'api-key-file': { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

type Option = keyof typeof OPTIONS;
type Values = Readonly<Partial<Record<Option, string | boolean>>>;

/** The options and the number of arguments of each command. */
const COMMANDS = {
  lookup: { argument: 'FILE.csv', options: ['out', 'sections', 'source', 'yes', 'send-again'] },
  report: { argument: 'FILE', options: ['out', 'send-again'] },
  listen: { argument: undefined, options: ['forward-to', 'events'] },
  trigger: { argument: 'TYPE', options: ['rupa-id'] },
  resend: { argument: 'EVENT_ID', options: ['forward-to'] },
} as const satisfies Record<string, { argument: string | undefined; options: readonly Option[] }>;

export type CommandName = keyof typeof COMMANDS;

export interface CommandLine {
  readonly command: CommandName | 'help' | 'version';
  /** The argument of the command; empty if it takes none. */
  readonly argument: string;
  /** Returns the value of an option. */
  readonly option: (name: Option) => string | undefined;
  /** Returns whether an option without a value is given. */
  readonly isSet: (name: Option) => boolean;
}

/** Parses the arguments after the program's name. @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parsed(args);
  const option = (name: Option): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined);
  const isSet = (name: Option): boolean => values[name] === true;
  if (values.help || args.length === 0) return { command: 'help', argument: '', option, isSet };
  if (values.version) return { command: 'version', argument: '', option, isSet };
  const [command = '', argument, ...rest] = positionals;
  if (!isCommand(command))
    throw new UsageError(`There is no command ${JSON.stringify(command)}: the commands are ${Object.keys(COMMANDS).join(', ')}.`);
  const expected = COMMANDS[command];
  if (expected.argument !== undefined && argument === undefined)
    throw new UsageError(`${command} needs an argument: rupa-client ${command} ${expected.argument}`);
  const surplus = expected.argument === undefined ? argument : rest[0];
  if (surplus !== undefined) throw new UsageError(`${command} does not take the argument ${JSON.stringify(surplus)}.`);
  const known: readonly string[] = [...expected.options, 'url', 'api-key-file'];
  const wrong = Object.keys(values).find((name) => !known.includes(name));
  if (wrong !== undefined) throw new UsageError(`${command} has no option --${wrong}.`);
  return { command, argument: argument ?? '', option, isSet };
}

function parsed(args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** Returns the key and the address of the service. Messages never contain the key. @throws UsageError */
export function connectionOf(
  { option }: Pick<CommandLine, 'option'>,
  env: Readonly<Record<string, string | undefined>>,
): { apiKey: string; baseUrl: string } {
  const baseUrl = option('url') ?? env.RUPA_URL;
  if (!baseUrl) throw new UsageError('Pass the address of the service with --url, or set RUPA_URL.');
  const file = option('api-key-file');
  const apiKey = file === undefined ? env.RUPA_API_KEY : contentOf(file);
  if (!apiKey) throw new UsageError('Set RUPA_API_KEY to your API key, or name a file that contains it with --api-key-file.');
  return { apiKey, baseUrl };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`--api-key-file cannot be read: ${(error as Error).message}`);
  }
}

/** Returns the address to which events are posted. @throws UsageError */
export function forwardAddress({ option }: Pick<CommandLine, 'option'>): string {
  const address = option('forward-to');
  if (address === undefined) throw new UsageError('Name the address of your receiver: --forward-to http://127.0.0.1:4000/hooks');
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  if (!['http:', 'https:'].includes(protocol))
    throw new UsageError(`--forward-to is ${JSON.stringify(address)}, but must be an address such as http://127.0.0.1:4000/hooks.`);
  return address;
}
