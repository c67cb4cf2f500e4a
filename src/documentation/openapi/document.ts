import { type INestApplication } from '@nestjs/common';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { finish } from './finish.js';
import { NOTIFICATION_MODELS, notifications, notificationSchemas, NOTIFICATIONS_TAG } from './notifications.js';
import { type Document } from './parts.js';
import { withTimes } from '../../http/openapi/moving-times.js';
import { ADMIN_TOKEN, PARTNER_KEY } from '../../http/openapi/operation.js';
import { headers } from './headers.js';

const descriptionOf = (
  guides: string,
): string => `Partners look farmers up by Rupa ID, report activities of farmers, manage the consents on their roster and receive signed webhooks. Lookups are paid from a prepaid wallet; all other calls are free.

Every response is an envelope: \`success\`, a \`message\` on errors and some successes, and \`data\`. Every error has a stable \`code\`; the guide [Errors and limits](${guides}/errors) lists the codes and what to do. Amounts are in NGN, with at most two decimals, unless a \`currency\` field next to them says otherwise. Send text in UTF-8, percent-encoded in paths and queries: bytes that are not UTF-8 are refused with 422. Unknown fields of a body and unknown query parameters are refused with 422, and the nearest name is suggested; new fields may be added to responses. The [guides](${guides}/getting-started) explain the rest.`;

/** Tags in the order in which the document shows them. The operations of partners precede those of administrators. */
const TAGS = [
  { name: 'Lookups', description: 'Retrieve sections of a farmer’s record; billed to the wallet.' },
  { name: 'Reports', description: 'Report an activity of a farmer; free.' },
  { name: 'Account', description: 'The calling partner’s account.' },
  { name: 'Keys', description: 'The calling partner’s API keys.' },
  { name: 'Consents', description: 'The farmers who share their Rupa ID with the calling partner.' },
  { name: 'Webhooks', description: 'Endpoints that get signed notifications of farmers’ events (guide “Webhooks”).' },
  { name: NOTIFICATIONS_TAG, description: 'What the service sends to your endpoints.' },
  { name: 'Sandbox', description: 'Try the service with play money. For keys of sandbox accounts.' },
  { name: 'Partners', description: 'Manage partner accounts. For administrators; auditors may read.' },
  { name: 'API keys', description: 'Issue, link and deactivate API keys. For administrators.' },
  { name: 'Webhooks of partners', description: 'Watch and repair partners’ endpoints. For administrators; auditors may read.' },
  { name: 'Wallets', description: 'Credit, inspect and verify wallets. For administrators; auditors may read.' },
  { name: 'Checkpoints', description: 'Signed checkpoints of the log, for administrators and auditors.' },
  { name: 'Log', description: 'The events themselves, for administrators and auditors.' },
  { name: 'Ledger', description: 'The books of the service. For administrators and auditors.' },
  { name: 'Farmers', description: 'Manage farmers’ records. For administrators; auditors see how data was used, never the data.' },
  { name: 'Prices', description: 'Manage the price book. For administrators; auditors may read.' },
  { name: 'Approvals', description: 'Calls that need a second person. For administrators; auditors may read.' },
  { name: 'Audit trail', description: 'Who called what, and the evidence file. For administrators and auditors.' },
  { name: 'Read models', description: 'State of the projections. For administrators and auditors.' },
  { name: 'Figures', description: 'What all processes count. For administrators and auditors.' },
  {
    name: 'Maintenance',
    description: 'Refusing calls that change something, for a restore or a move. For administrators; auditors see it.',
  },
  { name: 'Service', description: 'Calls without a key.' },
];

/** Returns the parts of the document that no controller declares: title, tags, security schemes and shared components. */
function description(publicUrl: string): Omit<OpenAPIObject, 'paths'> {
  const guides = `${publicUrl}/docs/guides`;
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Rupa farmer data sharing',
      version: '1.0.0',
      description: descriptionOf(guides),
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
          description: 'A key of the form `rupa_key_[0-9A-Za-z]{49}`, whose last six characters are a checksum (guide “Getting started”).',
        },
        [ADMIN_TOKEN]: { type: 'http', scheme: 'bearer', description: 'An administrator’s token, or an auditor’s for GET.' },
      },
      headers,
      parameters: {
        RequestId: {
          name: 'X-Request-Id',
          in: 'header',
          description:
            'A UUID that you choose for this request, with or without its hyphens. The response and the service’s log repeat it. A value that is not a UUID is replaced by a new one.',
          schema: { type: 'string' },
          example: '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11',
        },
      },
    },
  };
  // The framework's types describe OpenAPI 3.0.
  return document as unknown as Omit<OpenAPIObject, 'paths'>;
}

/**
 * Generates the document of all operations, for partners and administrators, from the controllers and their DTOs.
 * @param publicUrl base URL of the service
 * @param now the examples have times near it
 */
export function openApiDocument(app: INestApplication, publicUrl: string, now: Date): Document {
  const generated = SwaggerModule.createDocument(app, description(publicUrl), { extraModels: NOTIFICATION_MODELS });
  // All documents of a process share the objects in the decorators' metadata, so only a copy may be changed.
  const { paths, components, ...rest } = withTimes(generated as unknown as Document, now);
  const schemas = notificationSchemas(components.schemas);
  return finish({ ...rest, paths, webhooks: notifications(), components: { ...components, schemas, responses: {} } });
}
