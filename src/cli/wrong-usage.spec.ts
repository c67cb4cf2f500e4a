import { describe, expect, it } from '@jest/globals';
import { type Argument, CommanderError, type Option } from 'commander';
import { buildProgram, loadCommands } from './program.js';
import { type RupaCommand, routeOf } from './rupa-command.js';
import { type CommandRuntime } from './runtime.js';

const REFUSED = 'a b!';
/** A value for options that take texts. */
const TOO_LONG = 'x'.repeat(501);
const TEXTS = ['request-id', 'source', 'reason'];
/** Values that every argument and option with a rule accepts; any other accepts the text `sample`. */
const ACCEPTED: Readonly<Record<string, string>> = {
  amount: '10.50',
  kind: 'bank_charge',
  month: '2026-03',
  map: 'reference=Reference,amount=Amount,date=Date',
  to: 'esdb://127.0.0.1:1?tls=false',
  type: 'bank',
  endpoint: '12',
  delivery: '90210',
  job: '17',
  number: '12',
  position: '4711',
  since: '2026-03-01',
};
/** Arguments and options that take any text, or whose text is checked where it is used, with the same exit code. */
const FREE_TEXT = [
  'file',
  'events adopt note',
  'company',
  'company-name',
  'address',
  'tax-id',
  'registration-number',
  'email',
  'credit-reference',
  'reference',
  'account',
  'of',
  'reason',
  'label',
  'out',
  'actor',
  'category',
  'egress-url',
  'metrics-url',
  'refused',
  'name',
  'request-id',
  'source',
  'keys retire id',
  'sections',
  'cidrs',
];

const runtime = { begin: () => undefined } as unknown as CommandRuntime;

function leavesOf(command: RupaCommand): RupaCommand[] {
  const children = command.commands as RupaCommand[];
  return children.length === 0 ? [command] : children.flatMap(leavesOf);
}

const leaves = leavesOf(await loadCommands(buildProgram(runtime)));
const named = leaves.map((leaf) => [routeOf(leaf), leaf] as const);

/** Runs a command line that must be wrong. @returns what the command line prints */
async function refusalOf(words: readonly string[]): Promise<string> {
  const program = buildProgram(runtime);
  let printed = '';
  const quiet = (command: RupaCommand): void => {
    command.configureOutput({ writeErr: (text) => (printed += text), writeOut: () => undefined });
    for (const child of command.commands as RupaCommand[]) quiet(child);
  };
  quiet(program);
  const error = await program.parseAsync(words, { from: 'user' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CommanderError);
  expect((error as CommanderError).exitCode).not.toBe(0);
  return printed;
}

const wordsOf = (leaf: RupaCommand): string[] => routeOf(leaf).split(' ').slice(1);
const argumentsOf = (leaf: RupaCommand): string[] => leaf.registeredArguments.map((each) => ACCEPTED[each.name()] ?? 'sample');
const requiredOptions = (leaf: RupaCommand, except?: Option): string[] =>
  leaf.options
    .filter((option) => option.mandatory && option !== except)
    .flatMap((option) => [option.long ?? '', ACCEPTED[option.name()] ?? 'sample']);
const hasRule = ({ parseArg, argChoices }: Argument | Option): boolean => parseArg !== undefined || argChoices !== undefined;

describe('wrong usage of a command', () => {
  it.each(named)('with an unknown option names the option: %s', async (_route, leaf) => {
    const words = [...wordsOf(leaf), ...argumentsOf(leaf), ...requiredOptions(leaf), '--no-such-option'];
    expect(await refusalOf(words)).toContain("unknown option '--no-such-option'");
  });

  it.each(named)('with one argument too many says so: %s', async (_route, leaf) => {
    if (leaf.registeredArguments.at(-1)?.variadic) return;
    const words = [...wordsOf(leaf), ...argumentsOf(leaf), 'surplus', ...requiredOptions(leaf)];
    expect(await refusalOf(words)).toContain('too many arguments');
  });

  it.each(
    leaves.flatMap((leaf) =>
      leaf.registeredArguments.filter(({ required }) => required).map((each) => [routeOf(leaf), each.name(), leaf] as const),
    ),
  )('without a required argument names it: %s, %s', async (_route, name, leaf) => {
    const before = leaf.registeredArguments.findIndex((argument) => argument.name() === name);
    const words = [...wordsOf(leaf), ...argumentsOf(leaf).slice(0, before), ...requiredOptions(leaf)];
    expect(await refusalOf(words)).toContain(`missing required argument '${name}'`);
  });

  it.each(
    leaves.flatMap((leaf) =>
      leaf.options.filter(({ mandatory }) => mandatory).map((option) => [routeOf(leaf), option.flags, leaf, option] as const),
    ),
  )('without a required option names it: %s, %s', async (_route, flags, leaf, option) => {
    const words = [...wordsOf(leaf), ...argumentsOf(leaf), ...requiredOptions(leaf, option)];
    expect(await refusalOf(words)).toContain(`required option '${flags}' not specified`);
  });

  it.each(leaves.flatMap((leaf) => leaf.registeredArguments.filter(hasRule).map((each) => [routeOf(leaf), each.name(), leaf] as const)))(
    'with a value that an argument does not take names both: %s, %s',
    async (_route, name, leaf) => {
      const values = leaf.registeredArguments.map((each, index) => (each.name() === name ? REFUSED : (argumentsOf(leaf)[index] ?? '')));
      const printed = await refusalOf([...wordsOf(leaf), ...values, ...requiredOptions(leaf)]);
      expect(printed).toContain(`command-argument value '${REFUSED}' is invalid for argument '${name}'.`);
    },
  );

  it.each(leaves.flatMap((leaf) => leaf.options.filter(hasRule).map((option) => [routeOf(leaf), option.flags, leaf, option] as const)))(
    'with a value that an option does not take names both: %s, %s',
    async (_route, flags, leaf, option) => {
      const refused = TEXTS.includes(option.name()) ? TOO_LONG : REFUSED;
      const words = [...wordsOf(leaf), ...argumentsOf(leaf), ...requiredOptions(leaf, option), option.long ?? '', refused];
      expect(await refusalOf(words)).toContain(`option '${flags}' argument '${refused}' is invalid.`);
    },
  );

  it('leaves no number, time or id without a rule', () => {
    const free = leaves.flatMap((leaf) => [
      ...leaf.registeredArguments.filter((each) => !hasRule(each)).map((each) => [leaf, each.name()] as const),
      ...leaf.options.filter((each) => !hasRule(each) && (each.required || each.optional)).map((each) => [leaf, each.name()] as const),
    ]);
    const unexpected = free.filter(
      ([leaf, name]) => ![name, `${wordsOf(leaf).join(' ')} ${name}`].some((each) => FREE_TEXT.includes(each)),
    );
    expect(unexpected.map(([leaf, name]) => `${routeOf(leaf)} ${name}`)).toStrictEqual([]);
  });

  it.each(['abc', '1e3', '0x10', '12.345', '1,000', ''])('refuses %j as an amount', async (text) => {
    const printed = await refusalOf(['partners', 'credit', 'p-1', text, '--reference', 'r']);
    expect(printed).toContain(`command-argument value '${text}' is invalid for argument 'amount'. It must be an amount in NGN`);
  });

  it.each([
    ['farmers import', '/nowhere', 'It cannot be read: ENOENT'],
    ['farmers import', '/', 'It cannot be read: EISDIR'],
    ['prices publish', '/nowhere', 'It cannot be read: ENOENT'],
    ['prices publish', 'README.md', 'It is not valid JSON'],
    ['prices publish', 'package.json', 'The fees field is required.'],
  ])('with a file that cannot be used names it and the reason: %s %s', async (route, file, reason) => {
    expect(await refusalOf([...route.split(' '), file])).toContain(
      `command-argument value '${file}' is invalid for argument 'file'. ${reason}`,
    );
  });

  it.each([['patrners'], ['partners', 'creat']])('with an unknown command suggests one that exists: %s', async (...words) => {
    expect(await refusalOf(words)).toMatch(/unknown command '\w+'\s\(Did you mean \w+\?\)/);
  });
});
