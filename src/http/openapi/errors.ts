import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { type RejectionResponse } from '../error-responses.js';

type Schema = Readonly<Record<string, unknown>>;

/** An error response as the document shows it: a component of its own, which routes refer to. */
export interface DocumentedError {
  /** In components/responses. */
  readonly name: string;
  readonly status: number;
  readonly description: string;
  /** The message of interface 7, to the letter. */
  readonly message: string;
  /** Headers, by their names in components/headers. */
  readonly headers?: readonly string[];
  readonly data?: { readonly schema: Schema; readonly example: object };
}

/** Documents a rejection with the status and message that its context registers for the code. */
export function rejection(
  { status, message }: RejectionResponse,
  name: string,
  description: string,
  data?: NonNullable<DocumentedError['data']>,
): DocumentedError {
  return { name, status, description, message, ...(data ? { data } : {}) };
}

/** Marks a response that the finished document keeps in components/responses under this name. */
export const COMPONENT = 'x-component';

/** The error responses of a route, beside those that every route of its kind has. */
export function Fails(...errors: readonly DocumentedError[]): ClassDecorator & MethodDecorator {
  return applyDecorators(...errors.map((error) => ApiResponse(responseOf(error) as ApiResponseOptions)));
}

/** Header objects that refer to components/headers. */
export function headersNamed(names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The response that {@link Fails} documents. */
export function responseOf({ name, status, description, message, headers = [], data }: DocumentedError): object {
  const schema = data
    ? {
        type: 'object',
        properties: { success: { type: 'boolean', const: false }, message: { type: 'string' }, data: data.schema },
        required: ['success', 'message', 'data'],
      }
    : { $ref: '#/components/schemas/Error' };
  return {
    [COMPONENT]: name,
    status,
    description,
    ...(headers.length > 0 ? { headers: headersNamed(headers) } : {}),
    content: { 'application/json': { schema, example: { success: false, message, ...(data ? { data: data.example } : {}) } } },
  };
}
