import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../../http/errors/api-error.js';
import { REVALIDATED, staticResponse } from '../../http/pages/static-response.js';
import { type Audience, documentFor } from '../openapi/audiences.js';
import { postmanCollection } from '../openapi/collection.js';
import { openApiDocument } from '../openapi/document.js';
import { DOCS, guideMarkdown, guidePage, GUIDES, guidesForPrograms, type Served } from './guides.js';
import { homePage } from './home-page.js';
import { REFERENCE_POLICY, referencePage, START_SCRIPT } from './reference-page.js';
import { PAGE_POLICY, PAGE_SCRIPT } from './layout.js';
import { GuideSearch } from './search.js';
import { STYLE } from './style.js';

type Headers = Readonly<Record<string, string>>;

const DAY_MS = 24 * 60 * 60 * 1_000;
const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const PAGE: Headers = { ...REVALIDATED, 'Content-Security-Policy': PAGE_POLICY };
const REFERENCE: Headers = { ...REVALIDATED, 'Content-Security-Policy': REFERENCE_POLICY };
/** The files of Swagger UI that the reference loads. */
const SWAGGER_UI: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui.css': CSS,
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
};

/**
 * Serves the first page, the guides, the reference and the documents that it shows. Every file comes from this service, and is read or
 * generated at its first request. Only processes with the role `api` serve these pages.
 */
export function serveDocumentation(app: NestFastifyApplication, served: Served): void {
  const { publicUrl } = served;
  const fastify = app.getHttpAdapter().getInstance();
  const whole = perDay(() => openApiDocument(app, publicUrl, new Date()));
  const serve = (path: string, type: string, headers: Headers, make: () => string | Buffer): void => {
    fastify.get(path, staticResponse(type, headers, make));
  };

  serveHome(fastify, publicUrl);
  serveSearch(fastify, served);
  serve('/docs/page.js', SCRIPT, REVALIDATED, () => PAGE_SCRIPT);
  serve('/docs/sdk/rupa-client.tgz', 'application/gzip', REVALIDATED, () => readFileSync(new URL('rupa-client.tgz', DOCS)));
  serve('/docs/site.css', CSS, REVALIDATED, () => STYLE);
  for (const guide of GUIDES) {
    serve(`/docs/guides/${guide.name}`, HTML, PAGE, () => guidePage(guide, served));
    serve(`/docs/guides/${guide.name}.md`, MARKDOWN, REVALIDATED, () => guideMarkdown(guide, served));
  }
  serve('/llms.txt', TEXT, REVALIDATED, () => guidesForPrograms(served));
  for (const path of ['/docs/guides', '/docs/guides/']) {
    const first = `${path.endsWith('/') ? '.' : './guides'}/${GUIDES[0].name}`;
    fastify.get(path, (_request: FastifyRequest, reply: FastifyReply) => reply.redirect(first));
  }
  serve('/docs', HTML, REFERENCE, () => referencePage('partner', './'));
  for (const path of ['/docs/', '/docs/index.html']) serve(path, HTML, REFERENCE, () => referencePage('partner', '../'));
  serve('/docs/admin', HTML, REFERENCE, () => referencePage('admin', '../'));
  serve('/docs/start.js', SCRIPT, REVALIDATED, () => START_SCRIPT);
  for (const [name, type] of Object.entries(SWAGGER_UI)) serve(`/docs/${name}`, type, REVALIDATED, () => swaggerUiFile(name));
  const serveDocument = (path: string, make: () => unknown): void => {
    const handler = perDay(() => staticResponse(JSON_TYPE, {}, () => JSON.stringify(make())));
    fastify.get(path, (request: FastifyRequest, reply: FastifyReply) => handler()(request, reply));
  };
  serveDocument('/docs-json', whole);
  for (const audience of ['partner', 'admin'] satisfies Audience[])
    serveDocument(`/docs/${audience}-json`, () => documentFor(audience, whole()));
  serveDocument('/docs/collection.json', () => postmanCollection(documentFor('partner', whole()), publicUrl));
}

/**
 * Serves the first page to browsers and to clients that take any type. A program that asks for JSON there has probably forgotten a path, so
 * it gets the same 404 as for any other path without an endpoint.
 */
function serveHome(fastify: FastifyInstance, publicUrl: string): void {
  const respond = staticResponse(HTML, { ...PAGE, Vary: 'Accept' }, () => homePage(publicUrl));
  fastify.get('/', (request, reply) => {
    const { accept = '' } = request.headers;
    if (accept.includes('json') && !accept.includes('html')) throw new ApiError('route_not_found');
    return respond(request, reply);
  });
}

function serveSearch(fastify: FastifyInstance, served: Served): void {
  let search: GuideSearch | undefined;
  fastify.get('/docs/search', (request: FastifyRequest<{ Querystring: Readonly<Record<string, unknown>> }>, reply: FastifyReply) => {
    const { q } = request.query;
    return reply
      .headers(PAGE)
      .type(HTML)
      .send((search ??= new GuideSearch(served)).page(typeof q === 'string' ? q : ''));
  });
}

/** Makes a value once a day (UTC): the examples of the document have times near the moment of a call. */
function perDay<T>(make: () => T): () => T {
  let made: { readonly day: number; readonly value: T } | undefined;
  return () => {
    const day = Math.floor(Date.now() / DAY_MS);
    if (made?.day !== day) made = { day, value: make() };
    return made.value;
  };
}

function swaggerUiFile(name: string): Buffer {
  return readFileSync(join(dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')), name));
}
