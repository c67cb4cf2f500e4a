import { ref, type Schema, shape, text } from './schema.js';

/** A part of an OpenAPI document that is not a schema. */
export type Part = Readonly<Record<string, unknown>>;
/** By path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Part>>>>;

/** The same answer as something else than JSON. */
export interface OtherAnswer {
  readonly type: 'text/csv' | 'text/html';
  readonly example: string;
}

export interface OperationParts {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Part[];
  readonly body?: { readonly schema: Schema; readonly example: object; readonly required?: boolean };
  /** Of the answer's `data`, under its status (200 unless said). */
  readonly answer: {
    readonly status?: 200 | 201;
    readonly data: Schema;
    readonly example: object;
    readonly message?: string;
    readonly headers?: readonly string[];
    readonly also?: readonly OtherAnswer[];
  };
  /** Statuses beside those that every operation of its kind has. */
  readonly errors: readonly ErrorResponse[];
}

/** Names in components/responses. */
export type ErrorResponse =
  | 'InvalidJson'
  | 'Unauthorized'
  | 'PaymentRequired'
  | 'Forbidden'
  | 'FarmerNotFound'
  | 'ConsentNotFound'
  | 'PartnerNotFound'
  | 'ApiKeyNotFound'
  | 'WebhookNotFound'
  | 'StillRunning'
  | 'FarmerConflict'
  | 'ReferenceReused'
  | 'BodyTooLarge'
  | 'NotJson'
  | 'ValidationError'
  | 'TooManyRequests'
  | 'AdminUnauthorized'
  | 'AdminForbidden'
  | 'ServerError'
  | 'Unavailable';

const STATUS: Readonly<Record<ErrorResponse, number>> = {
  InvalidJson: 400,
  Unauthorized: 401,
  AdminUnauthorized: 401,
  PaymentRequired: 402,
  Forbidden: 403,
  AdminForbidden: 403,
  FarmerNotFound: 404,
  ConsentNotFound: 404,
  PartnerNotFound: 404,
  ApiKeyNotFound: 404,
  WebhookNotFound: 404,
  StillRunning: 409,
  FarmerConflict: 409,
  ReferenceReused: 409,
  BodyTooLarge: 413,
  NotJson: 415,
  ValidationError: 422,
  TooManyRequests: 429,
  ServerError: 500,
  Unavailable: 503,
};

/** What takes a body may be sent a wrong one. */
export const OF_BODIES: readonly ErrorResponse[] = ['BodyTooLarge', 'NotJson'];
const OF_ALL: readonly ErrorResponse[] = ['InvalidJson', 'TooManyRequests', 'ServerError', 'Unavailable'];

export function partnerOperation(parts: OperationParts): Part {
  const headers = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  return operation(parts, ['Unauthorized', 'Forbidden'], [...headers, ...(parts.answer.headers ?? [])], [{ partner: [] }]);
}

export function adminOperation(parts: OperationParts): Part {
  return operation(parts, ['AdminUnauthorized', 'AdminForbidden'], parts.answer.headers ?? [], [{ administrator: [] }]);
}

function operation(parts: OperationParts, auth: readonly ErrorResponse[], headers: readonly string[], security: readonly Part[]): Part {
  const { id, tag, summary, description, parameters, body, answer, errors } = parts;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security,
    ...(parameters ? { parameters } : {}),
    ...(body
      ? {
          requestBody: { required: body.required ?? true, content: { 'application/json': { schema: body.schema, example: body.example } } },
        }
      : {}),
    responses: responses(answer, [...auth, ...(body ? OF_BODIES : []), ...errors, ...OF_ALL], headers),
  };
}

function responses(
  { status = 200, data, example, message, also = [] }: OperationParts['answer'],
  errors: readonly ErrorResponse[],
  headers: readonly string[],
): Part {
  const schema = shape({ success: { type: 'boolean', const: true }, ...(message ? { message: text() } : {}), data });
  const good = {
    description: 'Done.',
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])) } : {}),
    content: {
      'application/json': { schema, example: { success: true, ...(message ? { message } : {}), data: example } },
      ...Object.fromEntries(also.map(({ type, example: text }) => [type, { schema: { type: 'string' }, example: text }])),
    },
  };
  const bad = errors.map((name): [string, Part] => [String(STATUS[name]), { $ref: `#/components/responses/${name}` }]);
  return { [String(status)]: good, ...Object.fromEntries(bad) };
}

/** An error's answer in the envelope (interface 7). */
export function errorResponse(
  description: string,
  message: string,
  data?: { readonly schema: Schema; readonly example: object },
  headers: readonly string[] = [],
): Part {
  const schema = data ? shape({ success: { type: 'boolean', const: false }, message: text(), data: data.schema }) : ref('Error');
  return {
    description,
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])) } : {}),
    content: { 'application/json': { schema, example: { success: false, message, ...(data ? { data: data.example } : {}) } } },
  };
}

export function pathParameter(name: string, schema: Schema, description: string): Part {
  return { name, in: 'path', required: true, description, schema };
}
