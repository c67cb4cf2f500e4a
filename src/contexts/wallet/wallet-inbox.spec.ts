import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeWallet, FakeWallets } from '../../../test/support/unit/fake-wallet.js';
import { ManualClock } from '../../../test/support/unit/manual-clock.js';
import { charge, credited } from '../../../test/support/unit/wallet-decisions.js';
import { type CommandContext } from '../../platform/event-sourcing/batch.js';
import { OutcomeUnknown } from '../../platform/event-sourcing/event-store.js';
import { type ChargeCommand, type WalletCommand } from './domain/wallet-command.js';
import { type SharedCommand, type WalletReply } from './wallet-message.js';
import { WalletInbox } from './wallet-inbox.js';
import { type WalletStream } from './wallet-stream.js';

const context = { correlationId: 'c1', causationId: 'c1' };
/** It costs so little that the wallet pays for 100,000 of them. */
const ofLookup = (lookup_id: string): ChargeCommand => ({ ...charge, lookup_id, breakdown_kobo: { 'svc_fee.identity': 1 } });
const settlementOf = (lookup_id: string): Extract<WalletCommand, { kind: 'settle' }> => ({
  ...charge,
  kind: 'settle',
  lookup_ids: [lookup_id],
});

/** Counts the reviews, and lets another API append after some of them. */
class BusyWallets extends FakeWallets {
  reviews = 0;
  appendsOfOthers = 0;
  readonly contexts: (CommandContext | undefined)[] = [];

  constructor(private readonly shared: FakeWallet) {
    super(shared);
  }

  override async execute(...[partnerId, command, options]: Parameters<FakeWallets['execute']>): ReturnType<FakeWallets['execute']> {
    this.contexts.push(options);
    return await super.execute(partnerId, command, options);
  }

  override async *review(partnerId: string, from: bigint): ReturnType<FakeWallets['review']> {
    this.reviews += 1;
    yield* super.review(partnerId, from);
    if (this.reviews <= this.appendsOfOthers) this.shared.execute(ofLookup(`other at ${this.shared.head}`));
  }
}

let wallet: FakeWallet;
let wallets: BusyWallets;
let inbox: WalletInbox;

/** Appends what another API executes; this one learns nothing about it. */
const chargeElsewhere = (lookupId: string): unknown => wallet.execute(ofLookup(lookupId));
const closeElsewhere = (lookupId: string, kind: 'settle' | 'refund'): unknown =>
  wallet.execute(kind === 'settle' ? settlementOf(lookupId) : { ...charge, kind, lookup_ids: [lookupId], reason: 'x' });

beforeEach(() => {
  wallet = new FakeWallet(credited);
  wallets = new BusyWallets(wallet);
  inbox = new WalletInbox(wallets as unknown as WalletStream, wallets.eventStore, new ManualClock());
  wallets.observe({
    lostRace: () => undefined,
    advanced: (stream, events) => {
      inbox.recent.advanced(stream, events);
    },
  });
});

describe('the inbox, for a message', () => {
  const receive = async (known: string | null, ...commands: SharedCommand[]): Promise<WalletReply | undefined> => {
    const message = { partner_id: 'p1', known, commands: commands.map((command) => ({ command, context })) };
    return (await inbox.execute([message]))[0];
  };

  it('makes no charge that it cannot check, but settles, and tells the revision', async () => {
    chargeElsewhere('l0');
    expect(await receive(null, ofLookup('l1'), settlementOf('l0'))).toStrictEqual({
      revision: '2',
      outcomes: [{ kind: 'unchecked' }, { kind: 'done' }],
    });
    expect(wallet.entries.map(({ type }) => type)).toStrictEqual(['WalletCredited', 'WalletDebited', 'ChargesSettled']);
  });

  it('makes no charge if the sender knows only entries from before it began to remember', async () => {
    chargeElsewhere('l0');
    expect((await receive('0', ofLookup('l1')))?.outcomes).toStrictEqual([{ kind: 'unchecked' }]);
    expect((await receive('1', ofLookup('l1')))?.outcomes).toStrictEqual([{ kind: 'done' }]);
    expect(wallet.debitsOf('l1')).toBe(1);
  });

  it('makes no charge after entries of others that it has not read', async () => {
    await receive(null);
    chargeElsewhere('l1');
    closeElsewhere('l1', 'refund');
    expect((await receive('0', ofLookup('l1')))?.outcomes).toStrictEqual([{ kind: 'unchecked' }]);
    expect(wallet.debitsOf('l1')).toBe(1);
  });

  it.each(['settle', 'refund'] as const)('makes a charge once, also if it comes again after a %s', async (kind) => {
    await receive(null);
    const first = await receive('0', ofLookup('l1'));
    closeElsewhere('l1', kind);
    await Array.fromAsync(wallets.review('p1', 0n));
    const length = wallet.entries.length;
    expect([first?.outcomes, (await receive('0', ofLookup('l1')))?.outcomes]).toStrictEqual([[{ kind: 'done' }], [{ kind: 'done' }]]);
    expect(wallet.entries.length).toBe(length);
  });

  it('tells a rejection with its facts, and any other error as a failure', async () => {
    await receive(null);
    const rejected = await receive('0', { ...charge, breakdown_kobo: { 'svc_fee.identity': 9_000_00 } });
    expect(rejected?.outcomes).toMatchObject([{ kind: 'rejected', code: 'insufficient_balance', facts: expect.any(Object) }]);
    wallets.failures.push(new OutcomeUnknown('The service stops.'));
    expect((await receive('0', ofLookup('l1')))?.outcomes).toStrictEqual([{ kind: 'failed' }]);
  });

  it('lets settlements join the append of the charges', async () => {
    await receive(null, settlementOf('l0'), ofLookup('l1'));
    expect(wallets.contexts.map((each) => each?.deferMs)).toStrictEqual([0, undefined]);
  });
});

describe('the inbox, for a command that was sent in vain', () => {
  const executeInstead = async (command: SharedCommand, known: string | null): Promise<unknown> =>
    await inbox.executeInstead(command, context, known).then(
      () => 'done',
      (error: unknown) => error,
    );

  it('makes a charge that the other API has not made, after it has read the entries since', async () => {
    chargeElsewhere('l0');
    expect(await executeInstead(ofLookup('l1'), '0')).toBe('done');
    expect([wallet.debitsOf('l1'), wallets.reviews]).toStrictEqual([1, 1]);
  });

  it('appends nothing if the other API has made the charge and it is open', async () => {
    chargeElsewhere('l1');
    expect(await executeInstead(ofLookup('l1'), '0')).toBe('done');
    expect(wallet.entries.length).toBe(2);
  });

  it.each(['settle', 'refund'] as const)(
    'throws OutcomeUnknown and appends nothing if the charge was made and closed by a %s',
    async (kind) => {
      chargeElsewhere('l1');
      closeElsewhere('l1', kind);
      expect(await executeInstead(ofLookup('l1'), '0')).toBeInstanceOf(OutcomeUnknown);
      expect(wallet.entries.length).toBe(3);
    },
  );

  it('executes a settlement, and a charge that no other API can have made, without reading', async () => {
    chargeElsewhere('l0');
    expect(await executeInstead(settlementOf('l0'), '0')).toBe('done');
    expect(await executeInstead(ofLookup('l1'), null)).toBe('done');
    expect([wallet.entries.length, wallets.reviews]).toStrictEqual([4, 0]);
  });

  it('reads again what others appended after a reading, and throws OutcomeUnknown after twenty readings', async () => {
    wallets.appendsOfOthers = 19;
    expect(await executeInstead(ofLookup('l1'), '0')).toBe('done');
    expect([wallet.debitsOf('l1'), wallets.reviews]).toStrictEqual([1, 20]);
    wallets.appendsOfOthers = Infinity;
    chargeElsewhere('unknown here');
    expect(await executeInstead(ofLookup('l2'), '0')).toBeInstanceOf(OutcomeUnknown);
    expect([wallet.debitsOf('l2'), wallets.reviews]).toStrictEqual([0, 40]);
  });

  it('makes each charge of a failed call once with one reading, however many entries it knows nothing of', async () => {
    const settledElsewhere = (id: string): void => {
      chargeElsewhere(id);
      closeElsewhere(id, 'settle');
    };
    for (let index = 0; index < 6_000; index += 1) settledElsewhere(`earlier ${index}`);
    chargeElsewhere('l0');
    for (let index = 0; index < 6_000; index += 1) settledElsewhere(`later ${index}`);
    const ids = Array.from({ length: 20 }, (_, index) => `l${index}`);
    expect(await Promise.all(ids.map((id) => executeInstead(ofLookup(id), '0')))).toStrictEqual(ids.map(() => 'done'));
    expect(ids.map((id) => wallet.debitsOf(id))).toStrictEqual(ids.map(() => 1));
    expect(wallets.reviews).toBe(1);
  });

  it('passes on a rejection', async () => {
    const dear = { ...charge, breakdown_kobo: { 'svc_fee.identity': 9_000_00 } };
    expect(await executeInstead(dear, '0')).toMatchObject({ code: 'insufficient_balance' });
  });
});
