import { type Credentials } from '@eventstore/db-client';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import grpc from '@grpc/grpc-js';
import { readFileSync } from 'node:fs';
import { isLoopback } from '../../event-store-url.js';
import { AccessRejected } from '../store-errors.js';

/** How to reach the nodes of an event store: a connection string with the service's defaults (docs/settings.md). */
export interface ConnectionOptions {
  /** host:port of each node in the URL. */
  readonly seeds: readonly string[];
  /** Whether the URL names one node, which is used whatever its role in a cluster is. */
  readonly isSingleNode: boolean;
  /** Role of the preferred node: leader, follower, read_only_replica or random. */
  readonly nodePreference: string;
  readonly gossipTimeoutMs: number;
  readonly discoveryIntervalMs: number;
  readonly user: Credentials | undefined;
  readonly isInsecure: boolean;
  readonly channelCredentials: grpc.ChannelCredentials;
  readonly channelOptions: grpc.ChannelOptions;
}

/** The longest time that a timer of Node can wait. A longer one would be over at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/**
 * A node that hangs is noticed one interval and one time-out after its last response at the latest. A shorter time-out would also end the
 * connection to a node that only pauses for its garbage collection.
 */
const DEFAULTS = { gossipTimeoutSeconds: 1, discoveryIntervalMs: 100, keepAliveIntervalMs: 1_000, keepAliveTimeoutMs: 2_000 };
/**
 * Bytes that the store may send ahead of what a reader has processed. HTTP/2's default of 64 KiB holds about a hundred events, after which
 * the store waits for the reader, and then the reader for the store.
 */
const FLOW_CONTROL_WINDOW_BYTES = 1024 * 1024;
/** The largest event that EventStoreDB itself can write, with room for its metadata; the same as the client library's. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;

/**
 * Reads a connection string and the files that it names.
 * @throws AccessRejected for a file that cannot be read, or the client library's error for a string that it cannot parse
 */
export function connectionOptions(connectionString: string): ConnectionOptions {
  // The client library knows the protocol's former name only.
  const url = parseConnectionString(connectionString.replace(/^kurrentdb/, 'esdb'));
  // The protocol's options turn pings, and the wait for them, off by a negative number.
  const keepAlive = (ms: number): number => (ms < 0 ? MAX_TIMER_MS : Math.min(ms, MAX_TIMER_MS));
  return {
    seeds: url.hosts.map(({ address, port }) => `${address}:${port}`),
    isSingleNode: !url.dnsDiscover && url.hosts.length === 1,
    nodePreference: url.nodePreference ?? 'leader',
    gossipTimeoutMs: Math.min((url.gossipTimeout ?? DEFAULTS.gossipTimeoutSeconds) * 1_000, MAX_TIMER_MS),
    discoveryIntervalMs: Math.min(url.discoveryInterval ?? DEFAULTS.discoveryIntervalMs, MAX_TIMER_MS),
    user: url.defaultCredentials,
    isInsecure: url.tls === false,
    channelCredentials:
      url.tls === false
        ? grpc.credentials.createInsecure()
        : grpc.credentials.createSsl(
            fileOf('tlsCAFile', url.tlsCAFile),
            fileOf('userKeyFile', url.userKeyFile),
            fileOf('userCertFile', url.userCertFile),
          ),
    channelOptions: {
      'grpc.keepalive_time_ms': keepAlive(url.keepAliveInterval ?? DEFAULTS.keepAliveIntervalMs),
      'grpc.keepalive_timeout_ms': keepAlive(url.keepAliveTimeout ?? DEFAULTS.keepAliveTimeoutMs),
      'grpc-node.flow_control_window': FLOW_CONTROL_WINDOW_BYTES,
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      // A replacement must not inherit a dead connection, or gRPC's pause before it connects again.
      'grpc.use_local_subchannel_pool': 1,
    },
  };
}

/**
 * Returns the options of a channel to a node. A proxy that the environment names is meant for other machines: it would see the traffic with
 * this one, or look for the node on its own.
 */
export function proxyOptions(address: string): grpc.ChannelOptions {
  return isLoopback(address) ? { 'grpc.enable_http_proxy': 0 } : {};
}

function fileOf(option: string, path: string | undefined): Buffer | null {
  if (path === undefined) return null;
  try {
    return readFileSync(path);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const todo = 'Correct the path, or make the file readable for the service.';
    throw new AccessRejected(`EVENT_STORE_URL names the file ${path} as ${option}, which cannot be read (${reason}). ${todo}`, 'file', {
      cause,
    });
  }
}
