import { setTimeout as delay } from 'node:timers/promises';
import { type ConnectionOptions, proxyOptions } from './connection-options.js';
import { AccessRejected, callFailure } from '../store-errors.js';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpc from '@grpc/grpc-js';

/** Milliseconds for which a search waits for a node of the preferred role. It then takes any node that serves clients. */
const SEARCH_MS = 2_500;

type Ask = (address: string) => Promise<Member[]>;
type SearchOptions = Pick<ConnectionOptions, 'seeds' | 'isSingleNode' | 'nodePreference' | 'discoveryIntervalMs'>;

/** Finds the node to connect to, and remembers the nodes of the cluster from one search to the next. */
export class Discovery {
  /** Nodes that earlier gossip named. They are asked even when no node of the URL responds. */
  private members: readonly string[] = [];
  private namedLeader: string | undefined;

  constructor(
    private readonly options: SearchOptions,
    private readonly ask: Ask,
    private readonly searchMs = SEARCH_MS,
  ) {}

  static of(options: ConnectionOptions): Discovery {
    return new Discovery(options, (address) => askMembers(address, options));
  }

  /** Whether another node might serve what this one does not. */
  get hasOthers(): boolean {
    return !this.options.isSingleNode;
  }

  /** Whether nodes other than the leader shall refuse appends instead of forwarding them, so that the service moves to the leader. */
  get wantsLeader(): boolean {
    return this.hasOthers && this.options.nodePreference === 'leader';
  }

  /** Uses a node that another one named as the leader for the next connection, without a search. */
  leaderIs(address: string): void {
    if (this.hasOthers) this.namedLeader = address;
  }

  /**
   * Returns host:port of a node.
   * @param signal ends the search
   * @throws AccessRejected if the nodes reject the service or are not trusted, Error if none serves clients
   */
  async endpoint(signal: AbortSignal): Promise<string> {
    const { namedLeader, options } = this;
    this.namedLeader = undefined;
    if (namedLeader !== undefined) return namedLeader;
    if (options.isSingleNode) return options.seeds[0] ?? '';
    const search = new Search(options, this.ask, AbortSignal.any([signal, AbortSignal.timeout(this.searchMs)]));
    try {
      return await search.run([...options.seeds, ...this.members]);
    } finally {
      this.members = search.members;
    }
  }
}

/**
 * One search. It asks every known node at the same time and again and again, so that a node that hangs delays nobody. A node has a role only
 * if it says so itself: others may still name a leader that has just been lost.
 */
class Search {
  /** Roles of the nodes that serve clients, by their own words. */
  private readonly roles = new Map<string, string>();
  private readonly failures = new Map<string, unknown>();
  private readonly asked = new Set<string>();
  private readonly found = new AbortController();
  private readonly over: AbortSignal;

  constructor(
    private readonly options: SearchOptions,
    private readonly ask: Ask,
    signal: AbortSignal,
  ) {
    this.over = AbortSignal.any([signal, this.found.signal]);
  }

  get members(): readonly string[] {
    return [...this.asked];
  }

  async run(addresses: readonly string[]): Promise<string> {
    const over = new Promise<void>((resolve) => {
      if (this.over.aborted) resolve();
      this.over.addEventListener('abort', () => {
        resolve();
      });
    });
    for (const address of addresses) this.follow(address);
    await over;
    const serving = [...this.roles.keys()];
    return serving.find((address) => this.isPreferred(address)) ?? serving[Math.floor(Math.random() * serving.length)] ?? this.noneServes();
  }

  /** Asks a node until the search is over. */
  private follow(address: string): void {
    if (this.asked.has(address)) return;
    this.asked.add(address);
    void (async () => {
      while (!this.over.aborted) {
        await this.askOnce(address);
        await delay(this.options.discoveryIntervalMs, undefined, { signal: this.over }).catch(() => undefined);
      }
    })();
  }

  private async askOnce(address: string): Promise<void> {
    try {
      const members = await this.ask(address);
      if (this.over.aborted) return;
      const role = members.find((member) => member.address === address)?.role;
      if (role === undefined) this.roles.delete(address);
      else this.roles.set(address, role);
      this.failures.delete(address);
      if (this.isPreferred(address)) this.found.abort();
      for (const member of members) if (member.isAlive) this.follow(member.address);
    } catch (error) {
      this.roles.delete(address);
      this.failures.set(address, error);
      // To ask again would not change this.
      if ([...this.asked].every((each) => this.failures.get(each) instanceof AccessRejected)) this.found.abort();
    }
  }

  private isPreferred(address: string): boolean {
    const role = this.roles.get(address);
    return role !== undefined && [role, 'random'].includes(this.options.nodePreference);
  }

  private noneServes(): never {
    const [failure] = this.failures.values();
    if (failure instanceof AccessRejected) throw failure;
    const reason = failure instanceof Error ? `: ${failure.message}` : '';
    throw new Error(`no node of the event store serves clients (asked ${[...this.asked].join(', ')})${reason}`);
  }
}

/** A node of a cluster, as a node's gossip describes it. */
export interface Member {
  /** host:port at which the node serves clients. */
  readonly address: string;
  readonly isAlive: boolean;
  /** The node's role if it serves clients: leader, follower or read_only_replica. */
  readonly role: string | undefined;
}

const { VNodeState } = gossip.MemberInfo;
const ROLES = new Map<number, string>([
  [VNodeState.LEADER, 'leader'],
  [VNodeState.FOLLOWER, 'follower'],
  [VNodeState.READONLYREPLICA, 'read_only_replica'],
  [VNodeState.PREREADONLYREPLICA, 'read_only_replica'],
  [VNodeState.READONLYLEADERLESS, 'read_only_replica'],
]);
/** A name with several addresses may begin with that of a node that hangs, so the order differs between calls. */
const ANY_ADDRESS = JSON.stringify({ loadBalancingConfig: [{ pick_first: { shuffleAddressList: true } }] });

/** Asks a node for the members of its cluster. @throws what {@link callFailure} returns */
async function askMembers(address: string, options: ConnectionOptions): Promise<Member[]> {
  const client = new gossipService.GossipClient(address, options.channelCredentials, {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config': ANY_ADDRESS,
    ...proxyOptions(address),
  });
  const deadline = Date.now() + options.gossipTimeoutMs;
  return await new Promise((resolve, reject) => {
    client.read(new shared.Empty(), new grpc.Metadata(), { deadline }, (error, info) => {
      client.close();
      if (error) reject(callFailure(error, 'read its gossip'));
      else resolve(info.getMembersList().flatMap(memberOf));
    });
  });
}

function memberOf(info: gossip.MemberInfo): Member[] {
  const endpoint = info.getHttpEndPoint();
  if (!endpoint) return [];
  const address = `${endpoint.getAddress()}:${endpoint.getPort()}`;
  return [{ address, isAlive: info.getIsAlive(), role: ROLES.get(info.getState()) }];
}
