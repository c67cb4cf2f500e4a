import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  type ApiResponseOptions,
  ApiSecurity,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import {
  ADMIN_FORBIDDEN,
  ADMIN_UNAUTHORIZED,
  FORBIDDEN,
  INVALID,
  INVALID_JSON,
  SERVER_ERROR,
  TOO_MANY_REQUESTS,
  UNAUTHORIZED,
  UNAVAILABLE,
} from './common-errors.js';
import { type Input, type InputClass } from '../validating/dto.js';
import { COMPONENT } from './properties.js';
import { describeClass, describeParameters } from './constraints.js';
import { Fails, headersNamed } from './errors.js';

/** Names in components/securitySchemes. */
export const PARTNER_KEY = 'partner';
export const ADMIN_TOKEN = 'administrator';

const COMMON_ERRORS = [INVALID_JSON, TOO_MANY_REQUESTS, SERVER_ERROR, UNAVAILABLE];
/** Every call with credentials refuses unknown query parameters (decisions, "Checks"), also one that takes neither a body nor a parameter. */
const ERRORS_WITH_CREDENTIALS = [...COMMON_ERRORS, INVALID];

/** Documents a controller whose routes partners call with an API key. */
export function PartnerApi(tag: string): ClassDecorator {
  return applyDecorators(ApiTags(tag), ApiSecurity(PARTNER_KEY), Fails(UNAUTHORIZED, FORBIDDEN, ...ERRORS_WITH_CREDENTIALS));
}

/** Documents a controller whose routes administrators call with a token; auditors may call those that only read. */
export function AdminApi(tag: string): ClassDecorator {
  return applyDecorators(ApiTags(tag), ApiSecurity(ADMIN_TOKEN), Fails(ADMIN_UNAUTHORIZED, ADMIN_FORBIDDEN, ...ERRORS_WITH_CREDENTIALS));
}

/** Documents a controller whose routes need no credentials. */
export function OpenApi(tag: string): ClassDecorator {
  return applyDecorators(ApiTags(tag), Fails(...COMMON_ERRORS));
}

/** Documents a route, with its body and query by the constraints of their classes. Generated clients have a method named `id`. */
export function Operation(id: string, summary: string, description?: string): MethodDecorator {
  const operation = ApiOperation({ operationId: id, summary, ...(description ? { description } : {}) });
  return (target, key, descriptor) => {
    describeParameters(target, key);
    operation(target, key, descriptor);
  };
}

/** Documents the body of a route whose handler validates the body itself. */
export function TakesBody(type: InputClass<Input<unknown>>): MethodDecorator {
  const body = type as unknown as new () => object;
  describeClass(body, true);
  return ApiBody({ type: body });
}

/** Media types of a response that is no JSON, with an example of each; null for bytes. */
type Forms = Readonly<Record<string, string | null>>;

export interface SuccessOptions {
  /** Default 200. */
  readonly status?: 200 | 201 | 202;
  /** The `message` of the envelope, if it has one. */
  readonly message?: string;
  /** Names in components/headers of headers that not every response has. */
  readonly headers?: readonly string[];
  /** The same response in other media types. */
  readonly also?: Forms;
}

/** Documents the success response of a route: the envelope around a class, with the example of that class. */
export function Responds(type: new () => object, { status = 200, message, headers = [], also = {} }: SuccessOptions = {}): MethodDecorator {
  const data = getSchemaPath(type);
  const schema = {
    [COMPONENT]: `${data.slice(data.lastIndexOf('/') + 1)}${message === undefined ? '' : 'Message'}Envelope`,
    type: 'object',
    properties: {
      success: { type: 'boolean', examples: [true] },
      ...(message === undefined ? {} : { message: { type: 'string', examples: [message] } }),
      data: { $ref: data },
    },
    required: ['success', ...(message === undefined ? [] : ['message']), 'data'],
  };
  const response = {
    status,
    description: 'Success.',
    ...(headers.length > 0 ? { headers: headersNamed(headers) } : {}),
    content: { 'application/json': { schema }, ...otherForms(also) },
  };
  return applyDecorators(ApiExtraModels(type), ApiResponse(response));
}

/** Documents the success response of a route that responds with a page or another text. */
export function RespondsText(status: number, description: string, forms: Forms): MethodDecorator {
  return ApiResponse({ status, description, content: otherForms(forms) } as ApiResponseOptions);
}

function otherForms(forms: Forms): object {
  return Object.fromEntries(
    Object.entries(forms).map(([type, example]) => [
      type,
      example === null ? { schema: { type: 'string', format: 'binary' } } : { schema: { type: 'string' }, example },
    ]),
  );
}
