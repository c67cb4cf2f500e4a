import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { randomUUID } from 'node:crypto';

const SERVER_VERSION = '24.6.0';
const STREAMS = 'event_store.client.streams.Streams';
const INSTANCE_ID = randomUUID();

/** Returns the methods and features that a client may use. Names are in lower case, as the client compares them. */
export function supportedMethods(): features.SupportedMethods {
  const method = (name: string, list: string[]): features.SupportedMethod =>
    new features.SupportedMethod().setMethodName(name).setServiceName(STREAMS).setFeaturesList(list);
  const methods = [method('append', []), method('batchappend', ['deadline_duration']), method('read', ['position', 'events'])];
  return new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION).setMethodsList(methods);
}

/** Returns a cluster of one member, which is its leader. */
export function clusterOf(address: string, port: number): gossip.ClusterInfo {
  const member = new gossip.MemberInfo()
    .setInstanceId(new shared.UUID().setString(INSTANCE_ID))
    .setTimeStamp((BigInt(Date.now()) * 10_000n).toString())
    .setState(gossip.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port));
  return new gossip.ClusterInfo().setMembersList([member]);
}
