// Parts of both peers that bill lookups: farmers with sections like the service's, wallets, the request's schema and the response.
import Fastify from 'fastify';
import { randomUUID } from 'node:crypto';
import { addPartners, farmers, listen, partnerOf, partners, pool } from './peer.mjs';

const FEES = { identity: 5000, bvn_nin_data: 7500, credit_history: 10000, outstanding_loans: 5000, transaction_volume: 5000 };

await addPartners(Object.keys(FEES));
await pool.query(`
  create table wallet(partner_id int primary key, balance_kobo bigint not null check (balance_kobo >= 0)) with (fillfactor=50);
  create table wallet_entry(id bigint generated always as identity primary key, partner_id int, lookup_id uuid, amount_kobo bigint, breakdown jsonb, at timestamptz default now());
  create table consent(partner_id int, rupa_id text, source text, granted_at timestamptz default now(), last_accessed_at timestamptz default now(), access_count int default 1, primary key(partner_id, rupa_id));
  create table farmer(rupa_id text primary key, sections jsonb not null, tier jsonb not null);
`);
for (let i = 0; i < partners; i++) await pool.query('insert into wallet values ($1,$2)', [i, 1e15]);

const sectionsOf = (i) => ({
  identity: {
    full_name: `Farmer ${i}`,
    first_name: 'Farmer',
    last_name: String(i),
    gender: 'female',
    date_of_birth: '1980-01-01',
    phone_number: '+2348000000000',
    state: 'Kano',
    lga: 'Kano Municipal',
    community: 'Sabon Gari',
    country: 'NG',
    kyc_status: 'verified',
    kyc_verified_at: '2026-01-01T00:00:00Z',
    identity_locked: true,
    agent_enrolled: true,
  },
  bvn_nin_data: {
    bvn: { verified: true, verified_at: '2026-01-01T00:00:00Z', masked: '*******1234', name_match: true, dob_match: true },
    nin: { verified: true, masked: '*******1234', cross_matched_with_bvn: true },
    verification_source: 'nibss',
    overall_confidence: 'high',
  },
  credit_history: {
    credit_score: 640,
    credit_rating: 'good',
    score_factors: [],
    score_calculated_at: null,
    prior_formal_loans_count: 1,
    prior_informal_loans_count: 0,
    prior_insurance_participation: true,
    cooperative_membership: true,
    vsla_membership: false,
    repayment_record: [],
    partner_reported_repayments: [],
    bureau: null,
    data_as_of: '2026-01-01T00:00:00Z',
  },
  outstanding_loans: {
    total_outstanding: 120000,
    currency: 'NGN',
    svc_loans: [],
    partner_loans: [{ amount: 120000, currency: 'NGN', at: '2026-01-01' }],
    data_as_of: '2026-01-01T00:00:00Z',
  },
  transaction_volume: {
    currency: 'NGN',
    sources: ['svc_platform'],
    summary: {
      last_30_days: { total_received: 1, total_sent: 1, transaction_count: 2 },
      last_90_days: { total_received: 1, total_sent: 1, transaction_count: 2 },
      last_12_months: { total_received: 1, total_sent: 1, transaction_count: 2 },
    },
    data_as_of: '2026-01-01T00:00:00Z',
  },
});
for (let i = 0; i < farmers; i += 500) {
  const rows = Array.from({ length: Math.min(500, farmers - i) }, (_, k) => [
    `rp-${i + k}`,
    JSON.stringify(sectionsOf(i + k)),
    JSON.stringify({ profile_tier: 'silver', profile_completeness: 70 }),
  ]);
  await pool.query(`insert into farmer select * from unnest($1::text[], $2::jsonb[], $3::jsonb[])`, [
    rows.map((r) => r[0]),
    rows.map((r) => r[1]),
    rows.map((r) => r[2]),
  ]);
}

/**
 * Serves lookups. `charge(partner, { amount, lookupId, breakdown, rupaId, source })` returns false if the balance is too low; the amount is
 * integer kobo. `end` stops what the peer does besides.
 */
export async function serve(charge, end = () => {}) {
  const app = Fastify();
  app.post(
    '/v1/rupa/lookup',
    {
      schema: {
        body: {
          type: 'object',
          required: ['rupa_id'],
          properties: {
            rupa_id: { type: 'string', maxLength: 64 },
            sections: { type: 'array', items: { type: 'string' } },
            source: { type: 'string' },
          },
        },
      },
    },
    async (req, reply) => {
      const partner = await partnerOf(req.headers['x-api-key']);
      if (!partner) return reply.code(401).send({ success: false, message: 'bad key' });
      const rupaId = req.body.rupa_id.toLowerCase();
      const wanted = req.body.sections ?? partner.may;
      const granted = wanted.filter((s) => partner.may.includes(s));
      const breakdown = Object.fromEntries(granted.map((s) => [`svc_fee.${s}`, FEES[s] / 100]));
      const amount = granted.reduce((sum, s) => sum + FEES[s], 0);
      const farmer = (await pool.query({ name: 'farmer', text: 'select sections, tier from farmer where rupa_id=$1', values: [rupaId] }))
        .rows[0];
      if (!farmer) return reply.code(404).send({ success: false, message: 'No farmer found for that Rupa ID.' });
      const isCharged = await charge(partner, { amount, lookupId: randomUUID(), breakdown, rupaId, source: req.body.source ?? 'loan' });
      if (!isCharged) return reply.code(402).send({ success: false, message: 'Insufficient wallet balance for this lookup.' });
      const data = { rupa_id: rupaId, queried_at: new Date().toISOString() };
      for (const s of granted) data[s] = farmer.sections[s];
      data.meta = farmer.tier;
      data.billing = { amount_charged: amount / 100, currency: 'NGN', credits: amount / 100, breakdown };
      return { success: true, data };
    },
  );
  await listen(app, end);
}
