import { ACCOUNT_TYPES } from '../../kernel/account-types.js';
import { REPORTABLE_ACTIVITIES } from '../../kernel/activities.js';
import { MODES } from '../../kernel/modes.js';
import { SECTIONS } from '../../kernel/section-names.js';
import { partnerId } from './examples.js';
import { adminOperation, type Paths, pathParameter } from './operation.js';
import { count, flag, list, nullable, oneOf, ref, rupaId, type Schema, shape, text, time } from './schema.js';

const by = { partner_id: text(), company_name: text(), account_type: oneOf(ACCOUNT_TYPES) };
const source = text('What the partner said it was for.');

export const farmerReportSchemas: Readonly<Record<string, Schema>> = {
  FarmerReport: shape({
    rupa_id: rupaId,
    mode: oneOf(MODES),
    registered_at: time(),
    erased_at: { ...nullable(time()), description: 'Null unless the farmer was erased.' },
    made_at: time('It shows everything before.'),
    consents: list(shape({ ...by, source, granted_at: time(), last_accessed_at: time(), access_count: count })),
    lookups: list(
      shape({
        ...by,
        lookup_id: text(),
        looked_up_at: time(),
        source,
        sections: list(oneOf(SECTIONS)),
        refunded: { ...flag, description: 'Its charge went back: the answer failed.' },
      }),
    ),
    reports: list(shape({ ...by, contribution_id: count, event: oneOf(Object.values(REPORTABLE_ACTIVITIES).flat()), occurred_at: time() })),
  }),
};

const bank = { partner_id: partnerId, company_name: 'Savannah Demo Bank', account_type: 'bank' };

export const farmerReportPaths: Paths = {
  '/admin/v1/farmers/{rupaId}/report': {
    get: adminOperation({
      id: 'getFarmerReport',
      tag: 'Farmers',
      summary: 'A farmer’s own view: who holds a consent, who looked at which sections when, who reported what',
      description:
        'For a farmer who asks how their data was used (Nigeria Data Protection Act). The latest first; nothing personal is in it, and an erased farmer’s is still answered, by the pseudonym.',
      parameters: [
        pathParameter('rupaId', rupaId, 'The farmer’s Rupa ID.'),
        {
          name: 'format',
          in: 'query',
          description: 'JSON, or a page to print.',
          schema: { ...oneOf(['json', 'html']), default: 'json' },
          example: 'json',
        },
      ],
      answer: {
        data: ref('FarmerReport'),
        example: {
          rupa_id: 'rp-spvyqbds',
          mode: 'sandbox',
          registered_at: '2026-01-05T08:00:00.000Z',
          erased_at: null,
          made_at: '2026-03-10T08:00:00.000Z',
          consents: [
            {
              ...bank,
              source: 'loan',
              granted_at: '2026-03-09T14:30:00.000Z',
              last_accessed_at: '2026-03-09T14:30:00.000Z',
              access_count: 1,
            },
          ],
          lookups: [
            {
              ...bank,
              lookup_id: '7f1d5b52-3c7e-4d2b-9f27-1f4bb7a6a0c3',
              looked_up_at: '2026-03-09T14:30:00.000Z',
              source: 'loan',
              sections: ['identity', 'outstanding_loans'],
              refunded: false,
            },
          ],
          reports: [{ ...bank, contribution_id: 4711, event: 'loan_disbursed', occurred_at: '2026-03-01T00:00:00.000Z' }],
        },
        also: [{ type: 'text/html', example: '<!doctype html>…' }],
      },
      errors: ['FarmerNotFound', 'ValidationError'],
    }),
  },
};
