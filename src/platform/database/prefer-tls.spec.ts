import { afterEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { PreferredTls, withoutPreferredTls } from './prefer-tls.js';

/** Returns a certificate that no client trusts. */
function selfSigned(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'prefer-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const options = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=other.example', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a connection that prefers TLS', () => {
  let server: Server | undefined;
  let encrypted: boolean[];

  afterEach(() => {
    server?.close();
  });

  /** Starts a server that answers a request for TLS, and returns what the client sends afterwards. */
  async function listen(answer: (socket: Socket) => Socket | undefined): Promise<number> {
    encrypted = [];
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (first) => {
        const isRequest = first.length === 8 && first.readUInt32BE(4) === 80_877_103;
        const talking = isRequest ? answer(socket) : socket;
        const echo = (text: Buffer): void => {
          encrypted.push(talking instanceof TLSSocket);
          talking?.write(text);
        };
        if (!isRequest) echo(first);
        talking?.on('error', () => undefined).on('data', echo);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function echoed(port: number): Promise<string> {
    const stream = new PreferredTls().setNoDelay(true).connect(port, '127.0.0.1');
    await once(stream, 'connect');
    stream.write('hello');
    const [text] = (await once(stream, 'data')) as [Buffer];
    stream.destroy();
    return text.toString();
  }

  it('is encrypted if the server offers it, whatever its certificate is', async () => {
    const certificate = selfSigned();
    const port = await listen((socket) => {
      socket.write('S');
      return new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
    });
    expect([await echoed(port), encrypted]).toStrictEqual(['hello', [true]]);
  });

  it.each<[string, (socket: Socket) => Socket | undefined]>([
    [
      'has no TLS',
      (socket) => {
        socket.write('N');
        return socket;
      },
    ],
    ['offers TLS and fails', (socket) => void socket.write('S', () => socket.end('no TLS record'))],
    ['does not know the request', (socket) => void socket.end('E an error')],
  ])('is plain if the server %s', async (_what, answer) => {
    expect([await echoed(await listen(answer)), encrypted]).toStrictEqual(['hello', [false]]);
  });

  it('fails if the server does not listen, or closes the connection without an answer', async () => {
    const port = await listen((socket) => void socket.destroy());
    await expect(once(new PreferredTls().connect(port, '127.0.0.1'), 'connect')).rejects.toThrow();
    server?.close();
    await expect(once(new PreferredTls().connect(1, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a URL with sslmode=prefer', () => {
  it('loses the mode and nothing else', () => {
    expect(withoutPreferredTls('postgres://u:p@db/rupa?sslmode=prefer')).toBe('postgres://u:p@db/rupa');
    expect(withoutPreferredTls('postgres://u:p@db/rupa?sslmode=allow&a=b')).toBe('postgres://u:p@db/rupa?a=b');
    expect(withoutPreferredTls('postgres://u:p@db/rupa?a=b&sslmode=prefer')).toBe('postgres://u:p@db/rupa?a=b');
  });

  it.each(['', '?sslmode=require', '?sslmode=verify-full', '?sslmode=disable', '?sslmode=prefer&sslrootcert=/ca', '?sslmode=preferred'])(
    'is none: %j',
    (query) => {
      expect(withoutPreferredTls(`postgres://u:p@db/rupa${query}`)).toBeUndefined();
    },
  );
});
