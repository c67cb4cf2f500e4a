import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/unit/manual-clock.js';
import { charge } from '../../../test/support/unit/wallet-decisions.js';
import { NoPeers, type PeerTopic } from '../../platform/peers/peer-calls.js';
import { WalletRejection } from './domain/rejections.js';
import { type Outcome, type WalletMessage, type WalletReply } from './wallet-message.js';
import { WalletOutbox } from './wallet-outbox.js';

const RECEIVER = 7;
const context = { correlationId: 'c1', causationId: 'c1' };
const done: Outcome = { kind: 'done' };
const unchecked: Outcome = { kind: 'unchecked' };

interface Call {
  readonly instance: number;
  readonly messages: readonly WalletMessage[];
  fail(this: void): void;
  respond(this: void, ...replies: WalletReply[]): void;
}

/** Calls that end when the test says so. */
class HeldCalls extends NoPeers {
  readonly calls: Call[] = [];

  override call(instance: number, _topic?: PeerTopic, messages?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        reject(new Error('No response within 2 s.'));
      };
      const respond = (...replies: WalletReply[]): void => {
        resolve(replies);
      };
      this.calls.push({ instance, messages: messages as WalletMessage[], fail, respond });
    });
  }
}

describe('the outbox to another API', () => {
  let clock: ManualClock;
  let peers: HeldCalls;
  let outbox: WalletOutbox;
  /** How each command ended, by its lookup. */
  let ends: Map<string, unknown>;

  const add = (id: string, { partner_id = 'p1', deferMs }: { partner_id?: string; deferMs?: number } = {}): void => {
    const base = { ...charge, partner_id };
    const command = deferMs === undefined ? { ...base, lookup_id: id } : { ...base, kind: 'settle' as const, lookup_ids: [id] };
    const end = (how: unknown): void => {
      ends.set(id, ends.has(id) ? 'ended twice' : how);
    };
    const resolve = (): void => {
      end('done');
    };
    const executeHere = (since: string | null): void => {
      end({ here: since });
    };
    outbox.add({ command, context, resolve, reject: end, executeHere }, deferMs);
  };
  const lookupsIn = (call: Call | undefined): string[][] | undefined =>
    call?.messages.map(({ commands }) =>
      commands.flatMap(({ command: each }) => (each.kind === 'settle' ? each.lookup_ids : each.lookup_id)),
    );
  const sent = async (): Promise<Call> => {
    await clock.advance(1);
    const call = peers.calls.at(-1);
    if (!call) throw new Error('The outbox made no call.');
    return call;
  };
  /** Lets the outbox learn a revision of the wallet. */
  const learn = async (revision: string): Promise<void> => {
    add(`before ${revision}`);
    (await sent()).respond({ revision, outcomes: [done] });
    await clock.advance(0);
  };

  beforeEach(() => {
    clock = new ManualClock();
    peers = new HeldCalls();
    outbox = new WalletOutbox(RECEIVER, peers, clock);
    ends = new Map();
  });

  it('sends the commands of a millisecond in one call, with a message for each wallet', async () => {
    add('l1');
    add('l2', { partner_id: 'p2' });
    await clock.advance(0.5);
    add('l3');
    expect(peers.calls).toStrictEqual([]);
    const call = await sent();
    expect(peers.calls.length).toBe(1);
    expect(call.instance).toBe(RECEIVER);
    expect(lookupsIn(call)).toStrictEqual([['l1', 'l3'], ['l2']]);
    call.respond({ revision: '4', outcomes: [done, done] }, { revision: '1', outcomes: [done] });
    await clock.advance(0);
    expect([...ends.values()]).toStrictEqual(['done', 'done', 'done']);
  });

  it('makes three calls at a time, and sends all that wait in the next one', async () => {
    for (const id of ['l1', 'l2', 'l3', 'l4', 'l5']) {
      add(id);
      await clock.advance(1);
    }
    expect(peers.calls.map(lookupsIn)).toStrictEqual([[['l1']], [['l2']], [['l3']]]);
    peers.calls[1]?.fail();
    await clock.advance(0);
    expect(lookupsIn(await sent())).toStrictEqual([['l4', 'l5']]);
  });

  it('sends at most 256 commands in a call', async () => {
    for (let index = 0; index < 257; index += 1) add(`l${index}`);
    await clock.advance(1);
    expect(peers.calls.map((call) => lookupsIn(call)?.flat().length)).toStrictEqual([256, 1]);
  });

  it('sends a deferred settlement when its time has passed', async () => {
    add('l1', { deferMs: 2_000 });
    await clock.advance(1_999);
    await clock.advance(0);
    expect(peers.calls).toStrictEqual([]);
    await clock.advance(1);
    expect(lookupsIn(await sent())).toStrictEqual([['l1']]);
  });

  it('sends the deferred settlements of a wallet together, and not with its next command', async () => {
    add('l1', { deferMs: 2_000 });
    add('l2');
    expect(lookupsIn(await sent())).toStrictEqual([['l2']]);
    add('l3', { deferMs: 2_000 });
    await clock.advance(2_000);
    expect(lookupsIn(await sent())).toStrictEqual([['l1', 'l3']]);
  });

  it('sends 64 deferred settlements at once', async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `l${index}`);
    for (const id of ids) add(id, { deferMs: 2_000 });
    expect(lookupsIn(await sent())).toStrictEqual([ids]);
    await clock.advance(2_000);
    await clock.advance(1);
    expect(peers.calls.length).toBe(1);
  });

  it('sends deferred settlements at once when it is flushed, and is empty after their call', async () => {
    add('l1', { deferMs: 2_000 });
    expect(outbox.isEmpty).toBe(false);
    outbox.flushAll();
    const call = await sent();
    expect(outbox.isEmpty).toBe(false);
    call.respond({ revision: '4', outcomes: [done] });
    await clock.advance(0);
    expect([outbox.isEmpty, ends.get('l1')]).toStrictEqual([true, 'done']);
  });

  it('names the newest revision that the receiver has told it, and none at first', async () => {
    await learn('4');
    expect(peers.calls[0]?.messages[0]?.known).toBe(null);
    add('l1');
    add('l2', { partner_id: 'p2' });
    expect((await sent()).messages.map(({ known }) => known)).toStrictEqual(['4', null]);
  });

  it('sends an unchecked command once more with the new revision, and then has it executed here', async () => {
    add('l1');
    (await sent()).respond({ revision: '4', outcomes: [unchecked] });
    await clock.advance(0);
    expect(ends.size).toBe(0);
    const again = await sent();
    expect([again.messages[0]?.known, lookupsIn(again)]).toStrictEqual(['4', [['l1']]]);
    again.respond({ revision: '9', outcomes: [unchecked] });
    await clock.advance(0);
    await clock.advance(1);
    // Neither call has executed it.
    expect(ends.get('l1')).toStrictEqual({ here: null });
    expect(peers.calls.length).toBe(2);
  });

  it('names for a command whose second call fails the revision of that call, since the first one did not execute it', async () => {
    await learn('4');
    add('l1');
    (await sent()).respond({ revision: '9000', outcomes: [unchecked] });
    await clock.advance(0);
    (await sent()).fail();
    await clock.advance(0);
    expect(ends.get('l1')).toStrictEqual({ here: '9000' });
  });

  it('has all commands of a failed call executed here, each with the revision that its message named', async () => {
    await learn('4');
    add('l1');
    add('l2', { partner_id: 'p2' });
    (await sent()).fail();
    await clock.advance(0);
    expect([ends.get('l1'), ends.get('l2')]).toStrictEqual([{ here: '4' }, { here: null }]);
  });

  it('has a command executed here if the receiver failed, or tells nothing about it', async () => {
    await learn('4');
    for (const id of ['l1', 'l2', 'l3']) add(id);
    (await sent()).respond({ revision: '9', outcomes: [{ kind: 'failed' }, done] });
    await clock.advance(0);
    expect(['l1', 'l2', 'l3'].map((id) => ends.get(id))).toStrictEqual([{ here: '4' }, 'done', { here: '4' }]);
  });

  it('passes on a rejection with its code and facts', async () => {
    add('l1');
    const facts = { balance_kobo: 1 };
    (await sent()).respond({ revision: '4', outcomes: [{ kind: 'rejected', code: 'insufficient_balance', facts }] });
    await clock.advance(0);
    expect(ends.get('l1')).toBeInstanceOf(WalletRejection);
    expect(ends.get('l1')).toMatchObject({ code: 'insufficient_balance', facts });
  });
});
