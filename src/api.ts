import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { AppModule } from './app.module.js';
import { serveDocumentation } from './http/documentation.js';
import { failure } from './http/envelope.js';
import { observeRequests, REQUEST_ID, requestIdOf } from './http/observe-requests.js';
import { Metrics } from './metrics/metrics.js';
import { NestLogger } from './nest-logger.js';
import { traceCommands } from './tracing/trace-commands.js';
import { type Settings } from './settings.js';
import { type StoreAddresses } from './stores.js';

/** Decisions, "Limits". */
const BODY_LIMIT_BYTES = 64 * 1024;
const MAX_PARAMETER_LENGTH = 16 * 1024;
const UNINTELLIGIBLE = 'The request cannot be understood.';

/** The HTTP service, not listening yet. */
export async function createApi(settings: Settings, stores: StoreAddresses, logger: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: requestIdOf,
    trustProxy: settings.trustedProxies.length > 0 ? [...settings.trustedProxies] : false,
    // The checks of what is in a path are ours, with our messages.
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    forceCloseConnections: 'idle',
    // What Node's parser and the router themselves refuse must look like every other error.
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      void reply.status(400).header(REQUEST_ID, request.id).send(failure(UNINTELLIGIBLE));
    },
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return;
      const body = JSON.stringify(failure(UNINTELLIGIBLE));
      socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
    },
  });
  acceptJsonAlone(adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.for(settings, stores, logger), adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  traceCommands(app, settings);
  observeRequests(adapter.getInstance(), { logger, metrics: app.get(Metrics) });
  serveDocumentation(app, settings.publicUrl);
  return app;
}

/** No forms and no plain text. An empty body is none, whatever its type: many clients send the header with every call. */
function acceptJsonAlone(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body as string, done);
  });
}
