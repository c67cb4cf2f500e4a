import { beforeEach, describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { FakeWallet, FakeWallets } from '../../../test/support/unit/fake-wallet.js';
import { ManualClock } from '../../../test/support/unit/manual-clock.js';
import { charge, commandBase, credited } from '../../../test/support/unit/wallet-decisions.js';
import { type InstancePresence } from '../../platform/database/instance-presence.js';
import { OutcomeUnknown } from '../../platform/event-sourcing/event-store.js';
import { StreamContended } from '../../platform/event-sourcing/queued-commands.js';
import { PeerCalls, type PeerTopic } from '../../platform/peers/peer-calls.js';
import { type WalletMessage } from './wallet-message.js';
import { type WalletStream } from './wallet-stream.js';
import { WalletWriter } from './wallet-writer.js';

type Respond = (message: unknown) => Promise<unknown>;

/** The calls of two APIs to each other. */
class Link extends PeerCalls {
  respond: Respond | undefined;
  other: Link | undefined;
  readonly sent: WalletMessage[][] = [];
  /** Calls that are lost: before the other API executes them, or after. */
  loss: 'request' | 'response' | undefined;

  constructor(private readonly otherInstance: number) {
    super();
  }

  override start = (): Promise<void> => Promise.resolve();
  override leave = (): Promise<void> => Promise.resolve();
  override stop = (): Promise<void> => Promise.resolve();

  override others(): readonly number[] {
    return this.other ? [this.otherInstance] : [];
  }

  override receive(_topic: PeerTopic, respond: Respond): void {
    this.respond = respond;
  }

  override async call(_instance: number, _topic: PeerTopic, message: unknown): Promise<unknown> {
    this.sent.push(message as WalletMessage[]);
    if (this.loss === 'request') throw new Error('lost');
    const reply = await this.other?.respond?.(JSON.parse(JSON.stringify(message)));
    if (this.loss === 'response') throw new Error('lost');
    return JSON.parse(JSON.stringify(reply));
  }
}

/** Instance 1 or 2, whichever is not chosen for the partner p1. */
const weight = (instance: number): string => hash('sha256', `p1 ${instance}`);
const [asked, chosen] = weight(1) < weight(2) ? ([1, 2] as const) : ([2, 1] as const);

describe('an API that lost a race for a wallet', () => {
  let clock: ManualClock;
  let wallet: FakeWallet;
  let own: FakeWallets;
  let link: Link;
  let writer: WalletWriter;
  let others: FakeWallets;

  const api = (wallets: FakeWallets, peers: Link, instance: number, ofApi = clock): WalletWriter =>
    new WalletWriter(wallets as unknown as WalletStream, { instance } as InstancePresence, peers, ofApi, wallets.eventStore);
  const outcomeOf = async (work: Promise<void>): Promise<unknown> => {
    let outcome: unknown;
    void work.then(
      () => (outcome = 'done'),
      (error: unknown) => (outcome = error),
    );
    // The outbox gathers commands for a millisecond, and again before it sends one for the second time.
    for (let turn = 0; turn < 4; turn += 1) await clock.advance(1);
    return outcome;
  };
  const charged = (lookup_id: string): Promise<unknown> => outcomeOf(writer.execute({ ...charge, lookup_id }));
  const refund = (lookup_id: string): unknown =>
    wallet.execute({ ...charge, kind: 'refund', lookup_ids: [lookup_id], reason: 'a retry has taken the place of the request' });

  beforeEach(() => {
    clock = new ManualClock();
    wallet = new FakeWallet(credited);
    [own, others] = [new FakeWallets(wallet), new FakeWallets(wallet)];
    link = new Link(chosen);
    const back = new Link(asked);
    [link.other, back.other] = [back, link];
    writer = api(own, link, asked);
    api(others, back, chosen);
    own.loseRace();
  });

  it('sends charges to the API that the partner selects, and makes them itself again after 30 s', async () => {
    expect(await charged('l1')).toBe('done');
    expect(wallet.debitsOf('l1')).toBe(1);
    // The receiver watches the wallet from the first message on, and executes what can be checked.
    expect(link.sent.length).toBe(2);
    await charged('l2');
    expect(link.sent.length).toBe(3);
    await clock.advance(30_000);
    expect(await charged('l3')).toBe('done');
    expect(link.sent.length).toBe(3);
  });

  it('selects among the APIs that live, so that only the wallets of one that has gone move', async () => {
    const live = [3, 4, 5, 6, chosen].sort((a, b) => (weight(a) > weight(b) ? -1 : 1)).filter((each) => weight(each) > weight(asked));
    const called: number[] = [];
    link.call = (instance) => {
      called.push(instance);
      return Promise.reject(new Error('lost'));
    };
    for (let gone = 0; gone <= live.length; gone += 1) {
      // The order of the list does not count.
      link.others = () => live.slice(gone).reverse();
      expect(await charged(`l${gone}`)).toBe('done');
    }
    expect(called).toStrictEqual(live);
    expect(live.length).toBeGreaterThan(1);
  });

  it('sends the command of the lost race, too', async () => {
    await clock.advance(31_000);
    own.failures.push(new StreamContended('Another writer changed wallet-p1.'));
    const work = writer.execute({ ...charge, lookup_id: 'l1' });
    own.loseRace();
    expect(await outcomeOf(work)).toBe('done');
    expect(link.sent.length).toBeGreaterThan(0);
  });

  it('makes a charge itself if the call was lost before the other API made it', async () => {
    await charged('l0');
    link.loss = 'request';
    expect(await charged('l1')).toBe('done');
    expect(wallet.debitsOf('l1')).toBe(1);
  });

  it('does not make a charge again that the other API has made, while it is open', async () => {
    await charged('l0');
    link.loss = 'response';
    expect(await charged('l1')).toBe('done');
    expect(wallet.debitsOf('l1')).toBe(1);
  });

  it.each(['own', 'others'])('does not make a charge again that the other API has made and that is closed (%s)', async (closer) => {
    await charged('l0');
    const call = link.call.bind(link);
    link.call = async (instance, topic, message) => {
      await call(instance, topic, message);
      refund('l1');
      // Further entries, which only one of the two knows, change nothing.
      await (closer === 'own' ? own : others).execute('p1', { ...charge, lookup_id: 'l2' });
      throw new Error('lost');
    };
    expect(await charged('l1')).toBeInstanceOf(OutcomeUnknown);
    expect(wallet.debitsOf('l1')).toBe(1);
  });

  it('has a late message not executed by the other API, also if the charge is closed by then', async () => {
    await charged('l0');
    link.loss = 'request';
    await charged('l1');
    refund('l1');
    const late = JSON.parse(JSON.stringify(link.sent.at(-1))) as WalletMessage[];
    await Array.fromAsync(others.review('p1', 0n));
    await link.other?.respond?.(late);
    expect(wallet.debitsOf('l1')).toBe(1);
  });

  it('gets the rejections of the other API', async () => {
    await charged('l0');
    const rejected = writer.execute({ ...charge, lookup_id: 'l1', breakdown_kobo: { 'svc_fee.identity': 9_000_00 } });
    expect(await outcomeOf(rejected)).toMatchObject({ code: 'insufficient_balance', facts: expect.any(Object) });
  });

  describe.each([-3_600_000, 3_600_000])('and whose clock differs by %i ms from the other one', (aheadMs) => {
    let othersClock: ManualClock;
    beforeEach(() => {
      [clock, othersClock] = [new ManualClock(aheadMs), new ManualClock()];
      wallet = new FakeWallet();
      [own, others] = [new FakeWallets(wallet), new FakeWallets(wallet)];
      link = new Link(chosen);
      const back = new Link(asked);
      [link.other, back.other] = [back, link];
      writer = api(own, link, asked);
      api(others, back, chosen, othersClock);
      wallet.execute({ ...commandBase, at: '', kind: 'credit', amount_kobo: 1_000_00, reference: 'r1', checked_to_revision: 0n });
    });
    const timeOf = (lookupId: string): string | undefined =>
      wallet.entries.find(({ type, data }) => type === 'WalletDebited' && data.lookup_id === lookupId)?.data.recorded_at;

    it('dates an entry that it appends by its own clock', async () => {
      const before = clock.iso();
      expect(await charged('alone')).toBe('done');
      expect(timeOf('alone')).toBe(before);
      own.loseRace();
      link.loss = 'request';
      expect(await charged('sent in vain')).toBe('done');
      expect((timeOf('sent in vain') ?? '') > before).toBe(true);
    });

    it('has an entry that the other API appends dated by the clock of the other API', async () => {
      own.loseRace();
      expect(await charged('l1')).toBe('done');
      link.loss = 'response';
      expect(await charged('l2')).toBe('done');
      link.loss = undefined;
      expect(await outcomeOf(writer.execute({ ...charge, kind: 'settle', lookup_ids: ['l1', 'l2'] }))).toBe('done');
      expect(wallet.entries.slice(1).map(({ type }) => type)).toStrictEqual(['WalletDebited', 'WalletDebited', 'ChargesSettled']);
      expect(wallet.entries.slice(1).map(({ data }) => data.recorded_at)).toStrictEqual(Array(3).fill(othersClock.iso()));
    });
  });

  it('sends commands that arrive within a millisecond in one call', async () => {
    await charged('l0');
    const before = link.sent.length;
    const all = [writer.execute({ ...charge, lookup_id: 'l1' }), writer.execute({ ...charge, lookup_id: 'l2' })];
    expect(await outcomeOf(Promise.all(all).then(() => undefined))).toBe('done');
    expect(link.sent.length).toBe(before + 1);
    expect(link.sent.at(-1)?.[0]?.commands.length).toBe(2);
  });

  it('finishes all that it has accepted when it stops, and sends nothing afterwards', async () => {
    await charged('l0');
    const deferred = writer.execute({ ...charge, kind: 'settle', lookup_ids: ['l0'] }, { deferMs: 2_000 });
    const drained = writer.drain();
    expect(await outcomeOf(deferred)).toBe('done');
    await drained;
    const sent = link.sent.length;
    expect(await charged('l1')).toBe('done');
    expect(link.sent.length).toBe(sent);
  });
});
