// Makes a lookup, reads an event of each type, and reads an error, with openapi-fetch and the types of openapi-typescript.
import createClient from 'openapi-fetch';
import { type components, type paths } from './api.js';

type Schemas = components['schemas'];

const { RUPA_URL: baseUrl = '', RUPA_API_KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { 'X-API-KEY': key } });

const lookUp = async (rupa_id: string) =>
  await client.POST('/v1/rupa/lookup', { body: { rupa_id, source: 'loan', sections: ['identity'] } });

const found = await lookUp('rp-test-gold');
const account = await client.GET('/v1/rupa/me');
console.log(`charged ${found.data?.data.billing.amount_charged}, account of ${account.data?.data.wallet_balance}`);

// A type that the document does not name, or one that is missing here, does not compile.
const NAMES: Readonly<Record<Schemas['SandboxEvent']['type'], keyof Schemas>> = {
  'farmer.loan_added': 'FarmerLoanAddedNotification',
  'farmer.loan_repaid': 'FarmerLoanRepaidNotification',
  'farmer.loan_defaulted': 'FarmerLoanDefaultedNotification',
  'farmer.new_insurance_policy': 'FarmerNewInsurancePolicyNotification',
  'farmer.claim_filed': 'FarmerClaimFiledNotification',
  'farmer.claim_settled': 'FarmerClaimSettledNotification',
  'farmer.input_purchase': 'FarmerInputPurchaseNotification',
  'farmer.harvest_record': 'FarmerHarvestRecordNotification',
  'farmer.credit_score_changed': 'FarmerCreditScoreChangedNotification',
  'account.low_balance': 'AccountLowBalanceNotification',
  'farmer.erased': 'FarmerErasedNotification',
};
const types = Object.keys(NAMES) as Schemas['SandboxEvent']['type'][];
for (const type of types) await client.POST('/v1/rupa/sandbox/events', { body: { type, rupa_id: 'rp-test-gold' } });
let events: Schemas['Notification'][] = [];
while (events.length < types.length)
  events = (await client.GET('/v1/rupa/events', { params: { query: { limit: 100 } } })).data?.data.events ?? [];
for (const each of events) {
  let shown: string = NAMES[each.type];
  if (each.type === 'farmer.loan_added') {
    const { rupa_id, sequence } = (each as Schemas['FarmerLoanAddedNotification']).data;
    shown += ` about ${rupa_id}, ${sequence > 2 ** 31 - 1 ? 'True' : 'False'}`;
  }
  if (each.type === 'account.low_balance') shown += ` at ${(each as Schemas['AccountLowBalanceNotification']).data.balance}`;
  console.log(shown);
}

const missing = await lookUp('rp-nobody');
const code = missing.error?.code;
console.log(`${missing.response.status} ${code === undefined ? '' : code.charAt(0).toUpperCase() + code.slice(1)}`);
