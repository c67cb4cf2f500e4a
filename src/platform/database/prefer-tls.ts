import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

/** The message with which a client asks PostgreSQL for TLS: its length, 8, and the code 80877103. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const PREFERS_TLS = /([?&])sslmode=(?:prefer|allow)(?:&|$)/;
const CERTIFICATES = /[?&]ssl(?:cert|key|rootcert|negotiation)?=/;

/**
 * Returns the URL without `sslmode=prefer`, which pg takes for `verify-full`; undefined if the URL has another mode. `allow` is treated the
 * same, so that a connection is encrypted wherever the server can do it.
 */
export function withoutPreferredTls(databaseUrl: string): string | undefined {
  if (!PREFERS_TLS.test(databaseUrl) || CERTIFICATES.test(databaseUrl)) return undefined;
  return databaseUrl.replace(PREFERS_TLS, '$1').replace(/[?&]$/, '');
}

/**
 * A connection that is encrypted if the server offers TLS, without a check of its certificate, and plain otherwise, which is what libpq
 * does for `sslmode=prefer`. pg uses it as its socket, and sends nothing before the event `connect`.
 */
export class PreferredTls extends Duplex {
  private socket: Socket | undefined;
  private noDelay = false;
  private keepAlive: readonly [boolean, number] = [false, 0];

  /** A socket of the file system is never encrypted. */
  connect(portOrPath: number | string, host = 'localhost'): this {
    if (typeof portOrPath === 'string') this.openWhen('connect', connectTcp(portOrPath));
    else this.askForTls(portOrPath, host);
    return this;
  }

  setNoDelay(noDelay: boolean): this {
    this.noDelay = noDelay;
    this.socket?.setNoDelay(noDelay);
    return this;
  }

  setKeepAlive(isKept: boolean, delayMs: number): this {
    this.keepAlive = [isKept, delayMs];
    this.socket?.setKeepAlive(isKept, delayMs);
    return this;
  }

  /** Emits `timeout` like a socket, when nothing has come or gone for this long. Call it after the event `connect`. */
  setTimeout(ms: number): this {
    this.socket?.setTimeout(ms).on('timeout', () => this.emit('timeout'));
    return this;
  }

  ref(): this {
    this.socket?.ref();
    return this;
  }

  unref(): this {
    this.socket?.unref();
    return this;
  }

  override _read(): void {
    this.socket?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.socket) this.socket.write(chunk, done);
    else done(new Error('The connection is not open yet.'));
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.socket) this.socket.end(done);
    else done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.socket?.destroy();
    done(error);
  }

  private askForTls(port: number, host: string): void {
    const socket = connectTcp(port, host);
    this.socket = socket;
    const failed = (error: Error): void => void this.destroy(error);
    const closed = (): void => void this.destroy(new Error('The server closed the connection.'));
    socket.once('error', failed).once('close', closed);
    socket.once('connect', () => socket.write(TLS_REQUEST));
    socket.once('data', (answer: Buffer) => {
      socket.off('error', failed).off('close', closed);
      const openPlain = (): void => {
        this.openWhen('connect', connectTcp(port, host));
      };
      this.answered(socket, answer.toString('latin1'), openPlain, host);
    });
  }

  private answered(socket: Socket, answer: string, connectPlain: () => void, host: string): void {
    if (answer === 'N') {
      this.open(socket);
    } else if (answer === 'S') {
      const secure = connectTls({ socket, host, rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) });
      this.openWhen('secureConnect', secure, connectPlain);
    } else {
      // An old server answers with an error. Bytes behind an answer do not come from the server that gave it.
      socket.on('error', () => undefined).destroy();
      connectPlain();
    }
  }

  private openWhen(event: 'connect' | 'secureConnect', socket: Socket, instead?: () => void): void {
    this.socket = socket;
    const failed = (error: Error): void => {
      socket.on('error', () => undefined).destroy();
      if (instead && !this.destroyed) instead();
      else this.destroy(error);
    };
    socket.once('error', failed);
    socket.once(event, () => {
      socket.off('error', failed);
      this.open(socket);
    });
  }

  private open(socket: Socket): void {
    this.socket = socket;
    socket.setNoDelay(this.noDelay).setKeepAlive(...this.keepAlive);
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('close', () => this.destroy());
    socket.on('error', (error) => this.destroy(error));
    this.emit('connect');
  }
}
