import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Discovery, type Member } from './discovery.js';
import { AccessRejected } from '../store-errors.js';

const NODES = ['a:1', 'b:1', 'c:1'] as const;
/** A node that responds with its own role and its view of who leads, one that refuses connections, or one that hangs. */
type Node = { readonly role: string | undefined; readonly claims: string } | 'down' | 'hangs';

function clusterOf(nodes: Readonly<Record<string, Node>>) {
  const asked: string[] = [];
  const ask = (address: string): Promise<Member[]> => {
    asked.push(address);
    const node = nodes[address] ?? 'down';
    if (node === 'down') return Promise.reject(new Error(`${address} refuses`));
    if (node === 'hangs') return new Promise(() => undefined);
    return Promise.resolve(
      Object.keys(nodes).map((each) => ({
        address: each,
        isAlive: true,
        role: each === address ? node.role : each === node.claims ? 'leader' : 'follower',
      })),
    );
  };
  return { ask, asked };
}

function discovery(ask: (address: string) => Promise<Member[]>, over: { seeds?: readonly string[]; searchMs?: number } = {}) {
  const { seeds = NODES, searchMs = 60_000 } = over;
  return new Discovery({ seeds, isSingleNode: false, nodePreference: 'leader', discoveryIntervalMs: 1 }, ask, searchMs);
}

const { signal } = new AbortController();

describe('discovery', () => {
  it('finds the node that says that it is the leader, whatever other nodes claim and however many hang', async () => {
    const role = fc.constantFrom('follower', undefined);
    const other: fc.Arbitrary<Node> = fc.oneof(
      fc.constantFrom('down' as const, 'hangs' as const),
      fc.record({ role, claims: fc.constantFrom(...NODES) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...NODES), fc.array(other, { minLength: 3, maxLength: 3 }), async (leader, others) => {
        const nodes = Object.fromEntries(NODES.map((each, index) => [each, others[index] ?? 'down']));
        const { ask } = clusterOf({ ...nodes, [leader]: { role: 'leader', claims: leader } });
        expect(await discovery(ask).endpoint(signal)).toBe(leader);
      }),
    );
  });

  it('finds the leader that is elected during the search', async () => {
    const nodes: Record<string, Node> = {
      'a:1': 'hangs',
      'b:1': { role: 'follower', claims: 'a:1' },
      'c:1': { role: undefined, claims: 'a:1' },
    };
    const { ask, asked } = clusterOf(nodes);
    const found = discovery((address) => {
      if (asked.length > 8) nodes['c:1'] = { role: 'leader', claims: 'c:1' };
      return ask(address);
    }).endpoint(signal);
    expect(await found).toBe('c:1');
  });

  it('takes another node that serves clients when none has the preferred role', async () => {
    const follower: Node = { role: 'follower', claims: 'a:1' };
    const { ask } = clusterOf({ 'a:1': 'hangs', 'b:1': follower, 'c:1': 'down' });
    expect(await discovery(ask, { searchMs: 40 }).endpoint(signal)).toBe('b:1');
  });

  it('finds a leader that only gossip names, also when no node of the URL responds any more', async () => {
    const nodes: Record<string, Node> = { 'a:1': { role: 'follower', claims: 'c:1' }, 'c:1': { role: 'leader', claims: 'c:1' } };
    const search = discovery(clusterOf(nodes).ask, { seeds: ['a:1'] });
    expect(await search.endpoint(signal)).toBe('c:1');
    nodes['a:1'] = 'down';
    expect(await search.endpoint(signal)).toBe('c:1');
  });

  it('uses a leader that a node has named once, without a search', async () => {
    const { ask, asked } = clusterOf({ 'a:1': { role: 'leader', claims: 'a:1' } });
    const search = discovery(ask);
    search.leaderIs('c:1');
    expect(await search.endpoint(signal)).toBe('c:1');
    expect(asked).toStrictEqual([]);
    expect(await search.endpoint(signal)).toBe('a:1');
  });

  it('fails with a sentence when no node serves clients, and at once when every node rejects the service', async () => {
    await expect(discovery(clusterOf({}).ask, { searchMs: 40 }).endpoint(signal)).rejects.toThrow(
      'no node of the event store serves clients (asked a:1, b:1, c:1): a:1 refuses',
    );
    const rejected = new AccessRejected('no', 'user');
    let asked = 0;
    const rejecting = (): Promise<Member[]> => {
      asked += 1;
      return Promise.reject(rejected);
    };
    await expect(discovery(rejecting).endpoint(signal)).rejects.toBe(rejected);
    expect(asked).toBe(3);
  });

  it('uses the only node of a URL without asking it', async () => {
    const single = new Discovery(
      { seeds: ['a:1'], isSingleNode: true, nodePreference: 'leader', discoveryIntervalMs: 1 },
      clusterOf({}).ask,
    );
    expect(await single.endpoint(signal)).toBe('a:1');
    expect([single.hasOthers, single.wantsLeader]).toStrictEqual([false, false]);
  });
});
