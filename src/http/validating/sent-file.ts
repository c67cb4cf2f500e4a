import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { finished } from 'node:stream';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { ApiError } from '../errors/api-error.js';
import { rulesOf, withRules } from '../route-rules.js';
import { refuseContentEncoding } from './request-text.js';

const MEBIBYTE = 1024 * 1024;
/** Media types of files that routes take: tables as text or as a workbook, and files whose type the client does not know. */
export const TABLE_TYPES = [
  'text/csv',
  'text/plain',
  'application/octet-stream',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
] as const;
/** Bytes of a file that a route takes. */
export const MAX_FILE_BYTES = 8 * MEBIBYTE;
/** Bytes of a file that is too large and is still read to its end. */
const MAX_DISCARDED_BYTES = 64 * MEBIBYTE;
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
    const refused = hasBody(request) ? refusedType(request) : null;
    if (refused || !isDiscarded(request)) {
      done(refused, payload);
      return;
    }
    // A client that is still sending when the connection is closed may never see the response, so the file is read and thrown away.
    payload.resume();
    finished(payload, () => {
      done(new ApiError('body_too_large', { message: FILE_TOO_LARGE }));
    });
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

function isDiscarded(request: FastifyRequest): boolean {
  const bytes = Number(request.headers['content-length'] ?? 0);
  return rulesOf(request).takesTable === true && bytes > MAX_FILE_BYTES && bytes <= MAX_DISCARDED_BYTES;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
