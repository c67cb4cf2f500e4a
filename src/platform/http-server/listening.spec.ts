import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type ListenAddress, listening } from './listening.js';

const SETTINGS = { hostSetting: 'SOME_HOST', portSetting: 'SOME_PORT' };

/** Listens with Node and returns the message of the failure. */
async function refusal(address: Pick<ListenAddress, 'host' | 'port'>): Promise<string> {
  const server = createServer();
  try {
    await listening({ ...address, ...SETTINGS }, async () => {
      server.listen(address.port, address.host);
      await once(server, 'listening');
    });
    return 'listening';
  } catch (error) {
    return (error as Error).message;
  } finally {
    server.close();
  }
}

/** An error as Node raises it, for reasons that a test cannot cause on every machine. */
async function refusalOf(error: object): Promise<string> {
  return await listening({ host: 'h', port: 80, ...SETTINGS }, () => Promise.reject(Object.assign(new Error('raw'), error))).catch(
    (caught: unknown) => (caught as Error).message,
  );
}

describe('a server that cannot listen', () => {
  it('names the port that another process uses', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const message = await refusal({ host: '127.0.0.1', port }).finally(() => other.close());
    expect(message).toBe(
      `SOME_PORT is wrong: another process listens on 127.0.0.1, port ${port}. Stop it, or set SOME_PORT to a free port.`,
    );
  });

  it.each(['203.0.113.7', '2001:db8::7'])('names the address %s, which this machine does not have', async (host) => {
    expect(await refusal({ host, port: 0 })).toMatch(
      new RegExp(`^SOME_HOST is wrong: ${host} is not an address of this machine \\(E\\w+\\)\\.`),
    );
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'])('names the host that does not resolve: %s', async (code) => {
    expect(await refusalOf({ code, syscall: 'getaddrinfo' })).toMatch(/^SOME_HOST is wrong: the name h does not resolve \(/);
  });

  it('names the port that needs a privilege', async () => {
    expect(await refusalOf({ code: 'EACCES', syscall: 'listen' })).toMatch(/^SOME_PORT is wrong: this user may not listen on port 80\./);
  });

  it('names both variables for any other reason of the network', async () => {
    expect(await refusalOf({ code: 'EMFILE', syscall: 'listen' })).toMatch(/^SOME_HOST or SOME_PORT is wrong: .+ \(EMFILE\)\.$/);
  });

  it('leaves other errors as they are', async () => {
    expect(await refusalOf({})).toBe('raw');
  });
});
