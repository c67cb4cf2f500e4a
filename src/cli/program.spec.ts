import { describe, expect, it } from '@jest/globals';
import { buildProgram, loadCommands } from './program.js';
import { type RupaCommand, routeOf } from './rupa-command.js';
import { type CommandRuntime, type Invocation } from './runtime.js';

/** Runs no work: every command fails when it asks for its stores. */
class IdleRuntime implements CommandRuntime {
  readonly begun: Invocation[] = [];

  begin(invocation: Invocation): void {
    this.begun.push(invocation);
  }

  readonly actor = 'cli:test';
  withApplication = refuse;
  withLog = refuse;
  checkLog = refuse;
  withKeys = refuse;
  examine = refuse;
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('no stores'));
}

function everyCommand(command: RupaCommand): RupaCommand[] {
  return [command, ...(command.commands as RupaCommand[]).flatMap(everyCommand)];
}

const commands = everyCommand(await loadCommands(buildProgram(new IdleRuntime())));
const leaves = commands.filter((command) => command.commands.length === 0);

async function invocationOf(...words: string[]): Promise<Invocation | undefined> {
  const runtime = new IdleRuntime();
  await expect(buildProgram(runtime).parseAsync(words, { from: 'user' })).rejects.toThrow('no stores');
  return runtime.begun[0];
}

describe('the command line', () => {
  it('describes every command, argument and option', () => {
    const undescribed = commands.flatMap((command) => [
      ...(command.description() === '' ? [routeOf(command)] : []),
      ...command.registeredArguments.filter(({ description }) => description === '').map((each) => `${routeOf(command)} ${each.name()}`),
      ...command.options.filter(({ description }) => description === '').map(({ flags }) => `${routeOf(command)} ${flags}`),
    ]);
    expect(undescribed).toStrictEqual([]);
  });

  it('takes --json wherever it prints JSON by --format, and not both', async () => {
    const printing = leaves.filter(({ options }) => options.some(({ description }) => description === 'output format'));
    expect(printing.map(routeOf)).toStrictEqual(
      expect.arrayContaining(['rupa prices history', 'rupa wallet replay', 'rupa ledger journal']),
    );
    expect(printing.filter(({ options }) => !options.some(({ long }) => long === '--json')).map(routeOf)).toStrictEqual([]);
    const both = buildProgram(new IdleRuntime()).parseAsync(['prices', 'history', '--json', '--format', 'csv'], { from: 'user' });
    await expect(both).rejects.toMatchObject({ code: 'commander.conflictingOption' });
  });

  it('gives each command a unique name', () => {
    const routes = leaves.map(routeOf);
    expect(routes.length).toBeGreaterThan(20);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('declares for every command whether it changes anything', () => {
    expect(leaves.filter(({ effect }) => effect === undefined).map(routeOf)).toStrictEqual([]);
  });

  it('audits the commands that change something, except the copy of a log, and the one that hands out the whole log', () => {
    expect(leaves.filter(({ effect }) => effect === 'changes').map(routeOf)).toStrictEqual([
      'rupa farmers import',
      'rupa farmers erase',
      'rupa demo',
      'rupa partners create',
      'rupa partners activate',
      'rupa partners key',
      'rupa partners credit',
      'rupa partners reverse',
      'rupa partners payout',
      'rupa partners deactivate',
      'rupa partners sections',
      'rupa partners allow-list',
      'rupa prices publish',
      'rupa prices cancel',
      'rupa ledger post',
      'rupa ledger close',
      'rupa ledger checkpoint',
      'rupa wallet compensate',
      'rupa approvals approve',
      'rupa approvals reject',
      'rupa webhooks enable',
      'rupa webhooks disable',
      'rupa webhooks resend',
      'rupa webhooks recover',
      'rupa projections rebuild',
      'rupa projections retry',
      'rupa keys rotate',
      'rupa keys retire',
      'rupa keys rotate-checkpoint',
      'rupa keys issue',
      'rupa keys link',
      'rupa keys revoke',
      'rupa events skip',
      'rupa events adopt',
      'rupa maintenance on',
      'rupa maintenance off',
    ]);
    expect(leaves.filter(({ effect }) => effect === 'changes_with_options').map(routeOf)).toStrictEqual(['rupa partners details']);
    expect(leaves.filter(({ effect }) => effect === 'changes_unaudited').map(routeOf)).toStrictEqual(['rupa events copy']);
    expect(leaves.filter(({ effect }) => effect === 'reads_audited').map(routeOf)).toStrictEqual(['rupa audit evidence']);
  });

  it('passes the runtime the command and its ids, but no other arguments', async () => {
    expect(await invocationOf('partners', 'activate', 'p-1')).toStrictEqual({
      route: 'rupa partners activate',
      parameters: { partner: 'p-1' },
      audited: true,
      createsStores: false,
      refusedInMaintenance: true,
    });
    expect(await invocationOf('partners', 'create', 'Savannah Bank', '--type', 'bank')).toStrictEqual({
      route: 'rupa partners create',
      parameters: {},
      audited: true,
      createsStores: false,
      refusedInMaintenance: true,
    });
    expect(await invocationOf('wallet', 'verify', 'p-1')).toMatchObject({ audited: false });
    expect(await invocationOf('partners', 'details', 'p-1', '--json')).toMatchObject({ audited: false, refusedInMaintenance: false });
    expect(await invocationOf('partners', 'details', 'p-1', '--tax-id', '1')).toMatchObject({
      parameters: { partner: 'p-1' },
      audited: true,
      refusedInMaintenance: true,
    });
    expect(await invocationOf('events', 'copy', '--to', 'esdb://127.0.0.1:1')).toMatchObject({ audited: false });
  });

  it('lets only demo create stores', () => {
    const creating = leaves.filter((command) => command.invocation().createsStores).map(routeOf);
    expect(creating).toStrictEqual(['rupa demo']);
  });

  it('refuses commands that change something during maintenance, except those that are part of a restore, a move or a repair', () => {
    const served = leaves.filter((command) => command.effect === 'changes' && !command.invocation().refusedInMaintenance);
    expect(served.map(routeOf)).toStrictEqual([
      'rupa farmers erase',
      'rupa ledger checkpoint',
      'rupa projections rebuild',
      'rupa projections retry',
      'rupa keys rotate',
      'rupa keys retire',
      'rupa events skip',
      'rupa events adopt',
      'rupa maintenance on',
      'rupa maintenance off',
    ]);
    expect(leaves.filter((command) => command.effect !== 'changes' && command.invocation().refusedInMaintenance)).toStrictEqual([]);
  });

  it('audits a command that does not declare whether it changes anything', async () => {
    const program = buildProgram(new IdleRuntime());
    program.command('forgotten').action(() => undefined);
    const forgotten = program.commands.at(-1) as RupaCommand;
    await program.parseAsync(['forgotten'], { from: 'user' });
    expect(forgotten.invocation()).toStrictEqual({
      route: 'rupa forgotten',
      parameters: {},
      audited: true,
      createsStores: false,
      refusedInMaintenance: true,
    });
  });
});
