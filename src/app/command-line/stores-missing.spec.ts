import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram, loadCommands } from '../../cli/program.js';
import { type RupaCommand, routeOf } from '../../cli/rupa-command.js';
import { FEE_KEYS } from '../../contexts/pricing/domain/price-book.js';
import { DOCUMENTED } from '../../settings/settings-page.js';
import { StoresMissing } from '../../stores/stores.js';
import { ServiceRuntime } from './service-runtime.js';

function leavesOf(command: RupaCommand): RupaCommand[] {
  const children = command.commands as RupaCommand[];
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
}

const ROUTES = leavesOf(await loadCommands(buildProgram(new ServiceRuntime())))
  .filter((command) => !command.invocation().createsStores)
  .map((command) => [routeOf(command), command] as const);

/** Valid values by the name of an argument or of the value of an option; any other argument accepts the text `sample`. */
const samples = (folder: string, route: string): Readonly<Record<string, string>> => ({
  amount: '10.50',
  kind: 'bank_charge',
  month: '2026-03',
  file: join(folder, route === 'rupa ledger reconcile' ? 'payments.csv' : 'input.json'),
  to: 'esdb://127.0.0.1:1?tls=false',
  type: 'bank',
  map: 'reference=Reference,amount=Amount,date=Date',
  name: 'wallet_entry',
  sections: 'farms',
  cidrs: '203.0.113.1',
  endpoint: '12',
  delivery: '90210',
  job: '17',
  position: '4711',
  number: '12',
  since: '2026-03-01',
});

/** Returns a command line that is complete: every argument, also an optional one, and every required option. */
function wordsOf(command: RupaCommand, folder: string): string[] {
  const values = samples(folder, routeOf(command));
  const value = (name: string): string => values[name] ?? 'sample';
  const required = command.options.filter(({ mandatory }) => mandatory);
  return [
    ...routeOf(command).split(' ').slice(1),
    ...command.registeredArguments.map((argument) => value(argument.name())),
    ...required.flatMap((option) => [option.long ?? '', value(option.attributeName())]),
  ];
}

describe('a command with a DATA_DIR that holds no stores', () => {
  let folder: string;
  let before: NodeJS.ProcessEnv;

  beforeEach(() => {
    before = process.env;
    process.env = Object.fromEntries(Object.entries(before).filter(([key]) => !DOCUMENTED.some(({ name }) => name === key)));
    folder = mkdtempSync(join(tmpdir(), 'no-stores-'));
    writeFileSync(join(folder, 'payments.csv'), 'Reference,Amount,Date\nr1,10.50,2026-03-31\n');
    writeFileSync(join(folder, 'input.json'), JSON.stringify({ fees: Object.fromEntries(FEE_KEYS.map((key) => [key, 50])) }));
  });
  afterEach(() => {
    process.env = before;
    rmSync(folder, { recursive: true, force: true });
  });

  const refusal = async (command: RupaCommand, dataDir: string): Promise<unknown> => {
    process.env.DATA_DIR = dataDir;
    const program = buildProgram(new ServiceRuntime());
    return await program.parseAsync(wordsOf(command, folder), { from: 'user' }).catch((error: unknown) => error);
  };

  it.each(ROUTES)('is refused and creates nothing: %s', async (_route, command) => {
    const mistyped = join(folder, 'mistyped');
    const error = await refusal(command, mistyped);
    expect(error).toBeInstanceOf(StoresMissing);
    expect((error as Error).message).toMatch(/mistyped holds no event store( and no PostgreSQL cluster)?\. Set DATA_DIR to /);
    expect(existsSync(mistyped)).toBe(false);
    const empty = join(folder, 'empty');
    mkdirSync(join(empty, 'event-store'), { recursive: true });
    expect(await refusal(command, empty)).toBeInstanceOf(StoresMissing);
    expect(readdirSync(empty, { recursive: true })).toStrictEqual(['event-store']);
  });
});
