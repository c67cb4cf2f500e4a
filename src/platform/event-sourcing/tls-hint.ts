import { connect } from 'node:tls';
import { AccessRejected } from './event-store.js';

const HANDSHAKE_TIMEOUT_MS = 2_000;
const DEFAULT_PORT = 2_113;

/**
 * Finds out why an event store does not respond to a connection string with tls=false. A node with TLS closes such a connection without a
 * word, as a node that is starting does, so each host of the string is asked for a TLS handshake.
 * @returns the error with a sentence for the operator if a host speaks TLS; undefined if none does, or the connection string asks for TLS
 */
export async function tlsWithoutUse(connectionString: string): Promise<AccessRejected | undefined> {
  const [, hosts = '', options = ''] = /^[a-z+]+:\/\/(?:[^/?]*@)?([^/?]+)\/?(.*)$/.exec(connectionString) ?? [];
  if (!/[?&]tls=false(?:&|$)/i.test(options)) return undefined;
  const speak = await Promise.all(hosts.split(',').map(speaksTls));
  const host = hosts.split(',')[speak.indexOf(true)];
  if (host === undefined) return undefined;
  const todo = 'Set tls=true there, and name the file of its certificate authority with tlsCAFile=.';
  return new AccessRejected(`The event store at ${host} speaks TLS, and EVENT_STORE_URL says tls=false. ${todo}`, 'certificate');
}

async function speaksTls(address: string): Promise<boolean> {
  const [host = '', port = String(DEFAULT_PORT)] = address.split(':');
  // Nothing is sent or believed: only whether the handshake succeeds matters.
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, timeout: HANDSHAKE_TIMEOUT_MS });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('secureConnect', () => {
        resolve(true);
      });
      for (const event of ['error', 'timeout', 'close'])
        socket.once(event, () => {
          resolve(false);
        });
    });
  } finally {
    socket.destroy();
  }
}
