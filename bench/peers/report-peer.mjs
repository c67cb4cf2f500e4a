// Parts of both peers that take reports: the request's schema and the response.
import Fastify from 'fastify';
import { addPartners, listen, partnerOf } from './peer.mjs';

const EVENTS = ['loan_disbursed', 'loan_repayment', 'loan_defaulted'];
const BODY = {
  type: 'object',
  required: ['rupa_id', 'event'],
  properties: {
    rupa_id: { type: 'string', maxLength: 64 },
    event: { type: 'string' },
    amount: { type: 'number', minimum: 0 },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    partner_reference: { type: 'string', minLength: 1, maxLength: 255 },
    occurred_at: { type: 'string', format: 'date-time' },
    payload: { type: 'object' },
  },
};

await addPartners(EVENTS);

/**
 * Serves reports. `record(partner, rupaId, report)` returns the contribution as `{ id, created }`, or undefined for an unknown farmer.
 * `end` stops what the peer does besides.
 */
export async function serve(record, end = () => {}) {
  const app = Fastify();
  app.post('/v1/rupa/report', { schema: { body: BODY } }, async (req, reply) => {
    const partner = await partnerOf(req.headers['x-api-key']);
    if (!partner) return reply.code(401).send({ success: false, message: 'bad key' });
    const { event } = req.body;
    const rupaId = req.body.rupa_id.toLowerCase();
    if (!partner.may.includes(event)) return reply.code(422).send({ success: false, message: 'The event field is invalid.' });
    const row = await record(partner, rupaId, req.body);
    if (!row) return reply.code(404).send({ success: false, message: 'No farmer found for that Rupa ID.' });
    return {
      success: true,
      message: row.created ? 'Contribution recorded.' : 'Contribution updated.',
      data: { recorded: true, created: row.created, contribution_id: Number(row.id), event, rupa_id: rupaId },
    };
  });
  await listen(app, end);
}
