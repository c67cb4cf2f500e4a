import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import grpc from '@grpc/grpc-js';
import { type ConnectionOptions, proxyOptions } from './connection-options.js';
import { callFailure } from '../store-errors.js';

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
export async function askMembers(address: string, options: ConnectionOptions): Promise<Member[]> {
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
