import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { parseJson } from '../../kernel/json.js';
import { unstorable } from '../../kernel/storable.js';
import { type FieldErrors, inWords, ValidationFailed } from '../../kernel/validation-failed.js';
import { isPercentEncodedUtf8, NotUtf8, textOf } from '../../platform/utf8.js';
import { ApiError } from '../errors/api-error.js';
import { JSON_TYPE, MERGE_PATCH_TYPE, type RouteRules, rulesOf, withRules } from '../route-rules.js';

/** Stands for the first wrong byte of a body. No well-formed text contains it, so validation names the field in which it is. */
const LONE_SURROGATE = '\ud800';
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi;
const UTF8 = /^utf-?8$/i;

/**
 * Rejects form and plain-text bodies, merge patches of routes that take none, and what is not UTF-8 in bodies and queries. An empty body
 * counts as no body, because many clients send the Content-Type header with every request.
 */
export function acceptOnlyJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  addTextParser(fastify, JSON_TYPE, jsonIn);
  addTextParser(fastify, MERGE_PATCH_TYPE, jsonIn, ({ takesMergePatch = false }) => takesMergePatch);
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    // The framework looks for a parser of any type that is sent.
    if (!hasBody(request)) delete request.raw.headers['content-type'];
    done(null, payload);
  });
  fastify.addHook('preValidation', ({ raw: { url = '' } }, _reply, done) => {
    const at = url.indexOf('?');
    done(at === -1 ? undefined : failureOf(wrongParameters(url.slice(at + 1))));
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Accepts the forms that browsers submit, as the text of their body. */
export function acceptForms(fastify: FastifyInstance): void {
  addTextParser(fastify, 'application/x-www-form-urlencoded', (bytes) => {
    const text = textOf(bytes);
    const failure = failureOf(wrongParameters(text));
    if (failure) throw failure;
    return text;
  });
}

/**
 * Returns a URL that the router can decode. A path that is not percent-encoded UTF-8 is taken as it is written, so that it gets the response
 * of an unknown path or, in a parameter, of an invalid value, in the order of the other checks.
 */
export function decodablePath({ url = '' }: { readonly url?: string | undefined }): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return isPercentEncodedUtf8(path) ? url : `${path.replaceAll('%', '%25')}${url.slice(path.length)}`;
}

function addTextParser(
  fastify: FastifyInstance,
  type: string,
  parse: (bytes: Buffer) => unknown,
  isTakenBy: (rules: RouteRules) => boolean = () => true,
): void {
  fastify.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (!isTakenBy(rulesOf(request))) throw new ApiError('unsupported_media_type');
      refuseOtherEncodings(request);
      done(null, parse(body as Buffer));
    } catch (error) {
      done(error instanceof NotUtf8 ? new ValidationFailed({ body: [`The body is wrong: ${error.message}.`] }) : (error as Error));
    }
  });
}

/** @throws ApiError `unsupported_media_type` if the bytes of the body are something else than UTF-8 */
function refuseOtherEncodings(request: FastifyRequest): void {
  const { 'content-type': type = '' } = request.headers;
  const charsets = type.includes(';') ? Array.from(type.matchAll(CHARSET), ([, quoted, plain]) => quoted ?? plain ?? '') : [];
  const other = charsets.find((charset) => !UTF8.test(charset));
  if (other !== undefined)
    throw new ApiError('unsupported_media_type', { message: 'Send the request body in UTF-8: other values of charset are not accepted.' });
  refuseContentEncoding(request);
}

/** @throws ApiError `unsupported_media_type` if the body is compressed */
function refuseContentEncoding({ headers }: FastifyRequest): void {
  const { 'content-encoding': coding = 'identity' } = headers;
  if (!/^\s*(?:identity\s*)?$/i.test(coding))
    throw new ApiError('unsupported_media_type', {
      message: 'Send the request body as it is: no Content-Encoding is accepted.',
      headers: { 'Accept-Encoding': 'identity' },
    });
}

/** @throws SyntaxError with the status 400; NotUtf8; ValidationFailed that names the fields whose bytes are not UTF-8 */
function jsonIn(bytes: Buffer): unknown {
  try {
    const text = textOf(bytes);
    return text === '' ? undefined : parseJson(text);
  } catch (error) {
    if (error instanceof NotUtf8)
      throw new ValidationFailed({ ...wrongFields(bytes, error.offset), body: [`The body is wrong: ${error.message}.`] });
    throw Object.assign(error as Error, { statusCode: 400 });
  }
}

function wrongFields(bytes: Buffer, offset: number): FieldErrors {
  const text = `${bytes.toString('utf8', 0, offset)}${LONE_SURROGATE}${bytes.toString('utf8', offset + 1)}`;
  try {
    return unstorable(parseJson(text));
  } catch {
    // The byte is outside of the strings, or the body is no JSON anyway.
    return {};
  }
}

/** @param query a query or a form. Node's parser has refused bytes in a query that are not encoded. */
function wrongParameters(query: string): FieldErrors {
  if (isPercentEncodedUtf8(query)) return {};
  const wrong = query.split('&').filter((pair) => !isPercentEncodedUtf8(pair));
  return Object.fromEntries(
    wrong.map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return isPercentEncodedUtf8(name)
        ? [decodeURIComponent(name), [`The ${inWords(decodeURIComponent(name))} field must be percent-encoded UTF-8.`]]
        : ['query', ['The query has a parameter whose name is not percent-encoded UTF-8.']];
    }),
  );
}

function failureOf(errors: FieldErrors): ValidationFailed | undefined {
  return Object.keys(errors).length === 0 ? undefined : new ValidationFailed(errors);
}

const MEBIBYTE = 1024 * 1024;
/** Media types of files that routes take: tables as text or as a workbook, and files whose type the client does not know. */
export const TABLE_TYPES = [
  'text/csv',
  'text/plain',
  'application/octet-stream',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;
/** Bytes of a file that a route takes. */
const MAX_FILE_BYTES = 8 * MEBIBYTE;
export const FILE_TOO_LARGE = `The file is larger than ${MAX_FILE_BYTES / MEBIBYTE} MiB. Send the file of a shorter period.`;
/** The configuration with which a route of Fastify's own, such as one of the console, takes a file. */
export const TAKES_TABLE = { takesTable: true };

/** Lets a route take a file as its body, up to 8 MiB, in place of JSON, and documents that. @param example a text that works */
export function TakesTable(example: string): MethodDecorator {
  const schema = { type: 'string', description: `A table as text or as an XLSX workbook, up to ${MAX_FILE_BYTES / MEBIBYTE} MiB.` };
  return applyDecorators(
    withRules(TAKES_TABLE),
    ApiConsumes(...TABLE_TYPES),
    ApiBody({ required: true, schema: { ...schema, examples: [example] } as object }),
  );
}

/** Injects the bytes of the file that was sent. @throws ValidationFailed if there are none */
export const SentFile = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  sentFile(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** @throws ValidationFailed if no bytes were sent */
export function sentFile({ body }: Pick<FastifyRequest, 'body'>): Buffer {
  if (!Buffer.isBuffer(body) || body.length === 0) throw new ValidationFailed({ file: ['Send the file as the body of the request.'] });
  return body;
}

/** Reads files as bytes on the routes that take them. Elsewhere, their media types are refused before anything of the body is read. */
export function acceptTables(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if ((route.config as { readonly takesTable?: boolean } | undefined)?.takesTable) route.bodyLimit = MAX_FILE_BYTES;
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    done(hasBody(request) ? refusedType(request) : null, payload);
  });
  fastify.addContentTypeParser([...TABLE_TYPES], { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseContentEncoding(request);
      done(null, body);
    } catch (error) {
      done(error as Error);
    }
  });
}

function refusedType(request: FastifyRequest): ApiError | null {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  const isTable = (TABLE_TYPES as readonly string[]).includes(type.trim().toLowerCase());
  const takesTable = rulesOf(request).takesTable === true;
  if (isTable === takesTable) return null;
  return new ApiError(
    'unsupported_media_type',
    isTable ? {} : { message: `Send the file as the body, with one of these types: ${TABLE_TYPES.join(', ')}.` },
  );
}
