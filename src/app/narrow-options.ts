import { type Provider } from '@nestjs/common';
import { checkpointOrigin, CheckpointOptions } from '../contexts/evidence/checkpoints/checkpoint-keys.js';
import { witnessesOf } from '../contexts/evidence/witnesses/witness.js';
import { LookupOptions } from '../contexts/lookups/looking-up/lookup-billing.js';
import { ComplianceOptions } from '../contexts/partners/complying/get-compliance.query.js';
import { AccountCodes } from '../contexts/accounting/books/get-journal.query.js';
import { IssuerOptions } from '../contexts/accounting/statements/get-statement.query.js';
import { WebhookOptions } from '../contexts/webhooks/webhook-options.js';
import { Failures } from '../http/envelope.js';
import { RateLimitOptions } from '../http/limiting/rate-limits.js';
import { type Settings } from '../settings/declaration.js';

/**
 * Provides contexts and HTTP with the settings they need, each in the narrow type that its consumer declares. Only src/app knows
 * `Settings`.
 */
export function narrowOptions(settings: Settings): Provider[] {
  const { publicUrl, checkpointEverySeconds, complianceRatio, webhooks, rateLimitPerSecond, failedAuthenticationsPerMinute } = settings;
  const { name = null, address = null, taxId = null, prefix } = settings.issuer;
  return [
    { provide: Failures, useValue: new Failures(publicUrl) },
    { provide: LookupOptions, useValue: { publicUrl } satisfies LookupOptions },
    {
      provide: CheckpointOptions,
      useValue: {
        origin: checkpointOrigin(publicUrl),
        everySeconds: checkpointEverySeconds,
        witnesses: witnessesOf(settings.witnesses),
      } satisfies CheckpointOptions,
    },
    { provide: ComplianceOptions, useValue: { complianceRatio } satisfies ComplianceOptions },
    { provide: IssuerOptions, useValue: { issuer: { name, address, tax_id: taxId }, prefix } satisfies IssuerOptions },
    { provide: AccountCodes, useValue: { codes: new Map(settings.accountCodes) } satisfies AccountCodes },
    { provide: WebhookOptions, useValue: webhooks satisfies WebhookOptions },
    { provide: RateLimitOptions, useValue: { rateLimitPerSecond, failedAuthenticationsPerMinute } satisfies RateLimitOptions },
  ];
}
