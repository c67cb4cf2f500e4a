import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { type Clock } from '../kernel/clock.js';
import { type InstancePresence } from '../platform/database/instance-presence.js';
import { type MasterKeys } from '../platform/key-store/master-keys.js';
import { MessageKeys } from '../platform/peers/message-keys.js';
import { NoPeers, type PeerCallObserver, type PeerCalls } from '../platform/peers/peer-calls.js';
import { Peers } from '../platform/peers/peers.js';
import { type Settings } from './settings/declaration.js';

interface Parts {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly presence: InstancePresence;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: PeerCallObserver;
}

/** Returns the calls between APIs. An API with an embedded store is the only one on its stores. */
export function createPeers({ eventStoreUrl, databaseUrl, host, peer }: Settings, { masterKeys, ...parts }: Parts): PeerCalls {
  if (eventStoreUrl === undefined || databaseUrl === undefined) return new NoPeers();
  const keys = new MessageKeys(() => masterKeys.derived('calls between APIs'));
  return new Peers({ ...parts, keys }, { host, port: peer.port, advertisedHost: peer.host });
}
