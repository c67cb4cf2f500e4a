import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { AppModule } from './app.module.js';
import { failure } from './http/envelope.js';
import { NestLogger } from './nest-logger.js';
import { type Settings } from './settings.js';
import { type StoreAddresses } from './stores.js';

/** Decisions, "Limits". */
const BODY_LIMIT_BYTES = 64 * 1024;

/** The HTTP service, not listening yet. */
export async function createApi(settings: Settings, stores: StoreAddresses, logger: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    routerOptions: { maxParamLength: 256 },
    forceCloseConnections: 'idle',
    // What Node's parser itself refuses must look like every other error.
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return;
      const body = JSON.stringify(failure('The request cannot be understood.'));
      socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
    },
  });
  return await NestFactory.create<NestFastifyApplication>(AppModule.for(settings, stores, logger), adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
    bufferLogs: false,
  });
}
