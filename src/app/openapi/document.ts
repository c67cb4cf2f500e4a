import { adminPaths, adminSchemas } from './admin-paths.js';
import { errorResponses, headers } from './errors.js';
import { farmerReportPaths, farmerReportSchemas } from './farmer-report-paths.js';
import { ledgerPaths, ledgerSchemas } from './ledger-paths.js';
import { type Part } from './operation.js';
import { partnerPaths, partnerSchemas } from './partner-paths.js';
import { readModelPaths } from './read-model-paths.js';
import { shape, text } from './schema.js';
import { sectionSchemas } from './section-schemas.js';
import { servicePaths } from './service-paths.js';
import { webhookPaths, webhookSchemas } from './webhook-paths.js';

const DESCRIPTION = `Partners look farmers up by their Rupa ID and pay for each look-up from a prepaid wallet, report what happened, and hold consents.

Every answer is an envelope: \`success\`, a \`message\` on errors and some successes, and \`data\`. Money is in NGN with at most two decimals unless a currency stands beside it. Unknown fields in requests are ignored; new fields may appear in answers.`;

/** The whole interface, for partners and administrators. What the tests see of the service must be in here (test/e2e/openapi.spec.ts). */
export function openApiDocument(publicUrl: string): Part {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rupa farmer data sharing',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: 'Look-ups', description: 'Farmers’ sections, and the bill.' },
      { name: 'Reports', description: 'What partners tell of farmers.' },
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
    ],
    paths: { ...partnerPaths, ...webhookPaths, ...adminPaths, ...farmerReportPaths, ...ledgerPaths, ...readModelPaths, ...servicePaths },
    components: {
      securitySchemes: {
        partner: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-KEY',
          description: 'A key of the form `rupa_key_[0-9A-Za-z]{49}`, whose last six characters are a checksum (docs/partners.md).',
        },
        administrator: { type: 'http', scheme: 'bearer', description: 'An administrator’s token, or an auditor’s for GET.' },
      },
      headers: { ...headers },
      responses: { ...errorResponses },
      schemas: {
        Error: shape({ success: { type: 'boolean', const: false }, message: text() }),
        ...partnerSchemas,
        ...webhookSchemas,
        ...sectionSchemas,
        ...adminSchemas,
        ...farmerReportSchemas,
        ...ledgerSchemas,
      },
    },
  };
}
