import { type OpenAPIObject } from '@nestjs/swagger';
import { ADMIN_TOKEN, PARTNER_KEY } from '../../http/openapi/operation.js';
import { headers } from './headers.js';

const DESCRIPTION = `Partners look farmers up by their Rupa ID and pay for each lookup from a prepaid wallet, report what happened, and hold consents.

Every response is an envelope: \`success\`, a \`message\` on errors and some successes, and \`data\`. Money is in NGN with at most two decimals unless a currency stands beside it. Unknown fields in requests are ignored; new fields may appear in responses.`;

/** Tags in the order in which the document shows them: what partners call comes first. */
const TAGS = [
  { name: 'Lookups', description: 'Farmers’ sections, and the bill.' },
  { name: 'Reports', description: 'What partners report about farmers.' },
  { name: 'Account', description: 'The calling partner.' },
  { name: 'Consents', description: 'The calling partner’s roster.' },
  { name: 'Webhooks', description: 'Signed notifications of farmers’ events (docs/webhooks.md).' },
  { name: 'Partners', description: 'For administrators.' },
  { name: 'API keys', description: 'For administrators.' },
  { name: 'Wallets', description: 'For administrators and auditors.' },
  { name: 'Ledger', description: 'For administrators and auditors.' },
  { name: 'Farmers', description: 'For administrators; auditors may read.' },
  { name: 'Prices', description: 'For administrators.' },
  { name: 'Read models', description: 'For administrators and auditors.' },
  { name: 'Service', description: 'Without a key.' },
];

/** What no controller can say: the title, the tags, the schemes, and the parts that every operation shares. */
export function description(publicUrl: string): Omit<OpenAPIObject, 'paths'> {
  const said = {
    openapi: '3.1.0',
    info: {
      title: 'Rupa farmer data sharing',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: TAGS,
    components: {
      securitySchemes: {
        [PARTNER_KEY]: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-KEY',
          description: 'A key of the form `rupa_key_[0-9A-Za-z]{49}`, whose last six characters are a checksum (docs/partners.md).',
        },
        [ADMIN_TOKEN]: { type: 'http', scheme: 'bearer', description: 'An administrator’s token, or an auditor’s for GET.' },
      },
      headers,
      parameters: {
        RequestId: {
          name: 'X-Request-Id',
          in: 'header',
          description: 'A UUID of your own for this request. The response and the log carry it; anything else is replaced by a new one.',
          schema: { type: 'string', format: 'uuid' },
          example: '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11',
        },
      },
      schemas: {
        Error: {
          type: 'object',
          properties: { success: { type: 'boolean', const: false }, message: { type: 'string' } },
          required: ['success', 'message'],
        },
      },
    },
  };
  // The types of the framework are those of OpenAPI 3.0.
  return said as unknown as Omit<OpenAPIObject, 'paths'>;
}
