import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import { randomUUID } from 'node:crypto';
import { structuredUuid } from './uuid.js';

const SERVER_VERSION = '24.6.0';
const INSTANCE_ID = randomUUID();

/** The methods of EventStoreDB 24.6.0 by service, as it lists them. Clients compare the names in lower case. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  'gossip.gossip': ['read'],
  'monitoring.monitoring': ['stats'],
  'operations.operations': [
    'mergeindexes',
    'resignnode',
    'restartpersistentsubscriptions',
    'setnodepriority',
    'shutdown',
    'startscavenge',
    'stopscavenge',
  ],
  'persistent_subscriptions.persistentsubscriptions': [
    'create',
    'delete',
    'getinfo',
    'list',
    'read',
    'replayparked',
    'restartsubsystem',
    'update',
  ],
  'redaction.redaction': ['geteventpositions', 'switchchunks'],
  'server_features.serverfeatures': ['getsupportedmethods'],
  'streams.streams': ['append', 'batchappend', 'delete', 'read', 'tombstone'],
  'users.users': ['changepassword', 'create', 'delete', 'details', 'disable', 'enable', 'resetpassword', 'update'],
};
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  'streams.streams/batchappend': ['deadline_duration'],
  'streams.streams/read': ['position', 'events'],
};

/**
 * Returns what EventStoreDB 24.6.0 returns, so that a client takes the same path with both: to a call by gRPC, which this server then
 * refuses as not implemented, and not to a substitute by HTTP.
 */
export function supportedMethods(): features.SupportedMethods {
  const methods = Object.entries(METHODS).flatMap(([service, names]) =>
    names.map((name) =>
      new features.SupportedMethod()
        .setServiceName(`event_store.client.${service}`)
        .setMethodName(name)
        .setFeaturesList([...(service.startsWith('persistent') ? ['stream', 'all'] : (FEATURES[`${service}/${name}`] ?? []))]),
    ),
  );
  return new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION).setMethodsList(methods);
}

/** Returns a cluster of one member, which is its leader. */
export function clusterOf(address: string, port: number): gossip.ClusterInfo {
  const member = new gossip.MemberInfo()
    .setInstanceId(structuredUuid(INSTANCE_ID))
    .setTimeStamp((BigInt(Date.now()) * 10_000n).toString())
    .setState(gossip.MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(address).setPort(port));
  return new gossip.ClusterInfo().setMembersList([member]);
}
