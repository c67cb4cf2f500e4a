import { errorResponse, type Part, type Paths } from './operation.js';
import { oneOf, shape } from './schema.js';

const page = { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } };

function health(id: string, summary: string, status: string): Part {
  const schema = shape({ success: { type: 'boolean', const: true }, data: shape({ status: oneOf([status]) }) });
  return {
    operationId: id,
    tags: ['Service'],
    summary,
    security: [],
    responses: {
      200: { description: 'Yes.', content: { 'application/json': { schema, example: { success: true, data: { status } } } } },
      503: errorResponse('Not yet, or not now, with the reason.', 'The database does not answer.', undefined, ['Retry-After']),
    },
  };
}

/** What needs no key. */
export const servicePaths: Paths = {
  '/p/{rupaId}': {
    get: {
      operationId: 'showProfilePage',
      tags: ['Service'],
      summary: 'A farmer’s profile page: tier and completeness, nothing personal',
      security: [],
      parameters: [{ name: 'rupaId', in: 'path', required: true, description: 'The farmer’s Rupa ID.', schema: { type: 'string' } }],
      responses: {
        200: { description: 'The page.', content: page },
        400: { $ref: '#/components/responses/InvalidJson' },
        404: { description: 'A page that says that nobody has that Rupa ID.', content: page },
        429: { $ref: '#/components/responses/TooManyRequests' },
        500: { $ref: '#/components/responses/ServerError' },
        503: { $ref: '#/components/responses/Unavailable' },
      },
    },
  },
  '/health': { get: health('getHealth', 'Whether the service is fit to serve', 'ready') },
  '/health/ready': { get: health('getReadiness', 'The same as /health', 'ready') },
  '/health/live': { get: health('getLiveness', 'Whether the process answers at all', 'live') },
};
