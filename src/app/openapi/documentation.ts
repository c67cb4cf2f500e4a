import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { openApiDocument } from './document.js';
import { documentationPage, START_SCRIPT } from './documentation-page.js';

/** A response that is made once. All connections share its buffer, so that clients which do not take it cost no memory. */
interface SharedBody {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
/** The files of Swagger UI that the page loads. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/**
 * Serves the OpenAPI document as a page at /docs, with all assets from this service, and as JSON at /docs-json. Everything is read or
 * generated at its first request.
 */
export function serveDocumentation(app: NestFastifyApplication, publicUrl: string): void {
  const fastify = app.getHttpAdapter().getInstance();
  const serve = (path: string, make: () => SharedBody, caching: Readonly<Record<string, string>> = {}): void => {
    let made: SharedBody | undefined;
    fastify.get(path, (request: FastifyRequest, reply: FastifyReply) => {
      const { type, body, etag } = (made ??= make());
      void reply.headers({ ...caching, ETag: etag });
      if (request.headers['if-none-match'] === etag) return reply.status(304).send();
      return reply.type(type).send(body);
    });
  };
  const revalidated = { 'Cache-Control': 'public, no-cache' };
  serve('/docs', () => shared(HTML, documentationPage('./docs/')), revalidated);
  for (const path of ['/docs/', '/docs/index.html']) serve(path, () => shared(HTML, documentationPage('./')), revalidated);
  serve('/docs/start.js', () => shared(SCRIPT, START_SCRIPT), revalidated);
  for (const [name, type] of Object.entries(FILES)) serve(`/docs/${name}`, () => shared(type, swaggerUiFile(name)), revalidated);
  serve('/docs-json', () => shared('application/json; charset=utf-8', JSON.stringify(openApiDocument(app, publicUrl))));
}

function shared(type: string, content: string | Buffer): SharedBody {
  const body = Buffer.from(content as string);
  return { type, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}

function swaggerUiFile(name: string): Buffer {
  return readFileSync(join(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')), name));
}
