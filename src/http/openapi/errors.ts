import { applyDecorators } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import { type ErrorCode, ERRORS, PARTNER_ERRORS } from '../errors/error-codes.js';
import { Failures } from '../envelope.js';
import { COMPONENT } from './properties.js';
import { type RejectionResponse } from '../errors/error-responses.js';

/** The base URL in examples, and in the files of the guides. */
export const EXAMPLE_URL = 'https://rupa.example';

type Schema = Readonly<Record<string, unknown>>;

/** An error response in the document. It is a component that operations refer to. */
export interface DocumentedError {
  /** Name in components/responses. */
  readonly name: string;
  /** The codes that the response may have. All have the same status; the example shows the first. */
  readonly codes: readonly [ErrorCode, ...ErrorCode[]];
  readonly description: string;
  /** Replaces the first code's message in the example. */
  readonly message?: string;
  /** Names in components/headers. */
  readonly headers?: readonly string[];
  /** `optional` if the status is documented once for several errors, and not all of them have data. */
  readonly data?: { readonly schema: Schema; readonly example: object; readonly optional?: boolean };
}

/** Documents a rejection with the code and message that its context registers for the code. */
export function rejection(
  { code, message }: RejectionResponse,
  name: string,
  description: string,
  data?: NonNullable<DocumentedError['data']>,
): DocumentedError {
  return { name, codes: [code], description, ...(message === undefined ? {} : { message }), ...(data ? { data } : {}) };
}

/** Documents the error responses of a route or controller, in addition to those that all routes of its kind have. */
export function Fails(...errors: readonly DocumentedError[]): ClassDecorator & MethodDecorator {
  return applyDecorators(...errors.map((error) => ApiResponse(responseOf(error) as ApiResponseOptions)));
}

/** Returns header objects that refer to components/headers. */
export function headersNamed(names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns the response object that {@link Fails} documents. */
export function responseOf({ name, codes, description, message = ERRORS[codes[0]].message, headers = [], data }: DocumentedError): object {
  const [code, ...others] = codes;
  const { status } = ERRORS[code];
  if (others.some((other) => ERRORS[other].status !== status)) throw new Error(`The codes of ${name} have several statuses.`);
  const documented = codes.filter((each) => each in PARTNER_ERRORS);
  const docUrl = { type: 'string', format: 'uri', description: 'What the guides say about the code.' };
  const schema = {
    [COMPONENT]: `${name}Envelope`,
    type: 'object',
    properties: {
      success: { type: 'boolean', examples: [false] },
      message: { type: 'string' },
      code: { type: 'string', enum: codes },
      ...(documented.length > 0 ? { doc_url: docUrl } : {}),
      ...(data ? { data: data.schema } : {}),
    },
    required: [
      'success',
      'message',
      'code',
      ...(documented.length === codes.length ? ['doc_url'] : []),
      ...(data && !data.optional ? ['data'] : []),
    ],
  };
  return {
    [COMPONENT]: name,
    status,
    description,
    ...(headers.length > 0 ? { headers: headersNamed(headers) } : {}),
    content: { 'application/json': { schema, example: new Failures(EXAMPLE_URL).of(code, message, data?.example) } },
  };
}
