import { randomUUID } from 'node:crypto';
import { readDocument } from './document.js';
import { CLOSED_MONTH, OPENING, reportOf, type RouteWorld } from './route-world.js';

/** How an operation is called. */
interface Form {
  /** Values of parameters of the path that differ from those of {@link parametersOf}. */
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: object;
  /** A text that is sent as CSV in place of a body of JSON. */
  readonly file?: string;
  /** The partner that calls a partner's route is the one of the sandbox. */
  readonly isSandbox?: true;
}

/** A call of an operation. */
export interface RouteCall {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: object;
  readonly file?: string;
}

const HOUR_MS = 3_600_000;

/** The operations of the document, by method and path. */
export const OPERATIONS = Object.entries(readDocument().paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
);

/** The calls of maintenance, in their order. During it, the service refuses the other ones. */
export const MAINTENANCE = ['PUT /admin/v1/maintenance', 'DELETE /admin/v1/maintenance'];

/** The forms of the operations that read and that are called in another way than with their path alone. */
function reading({ rupaId }: RouteWorld): Readonly<Record<string, readonly Form[]>> {
  return {
    'GET /v1/rupa/wallet/proof': [{ query: '?revision=0' }],
    'GET /admin/v1/lookups': [{ query: `?rupa_id=${rupaId}` }],
    'GET /admin/v1/webhooks/{id}/deliveries': [{}, { query: `?rupa_id=${rupaId}` }],
    'GET /v1/rupa/webhooks/{id}/deliveries': [{}, { query: `?rupa_id=${rupaId}` }],
    'GET /admin/v1/ledger/periods/{month}/statements': [{ path: { month: CLOSED_MONTH } }],
    'GET /admin/v1/partners/{id}/wallet': [{}, { query: `?at=${new Date().toISOString()}` }],
  };
}

/** The forms of the partners' operations that change something. */
function partnersChanges(world: RouteWorld): Readonly<Record<string, readonly Form[]>> {
  const { rupaId, deletedEndpoint, disabledEndpoint } = world;
  return {
    'POST /v1/rupa/lookup': [{ body: { rupa_id: rupaId, sections: ['identity'] } }],
    'POST /v1/rupa/lookups': [{ body: { rupa_ids: [rupaId, 'rp-nobody'], sections: ['identity'] } }],
    'POST /v1/rupa/report': [{ body: reportOf(rupaId) }],
    'POST /v1/rupa/reports': [{ body: { reports: [reportOf(rupaId)] } }],
    'PUT /v1/rupa/me/low-balance': [{ body: { amount: 10 } }],
    'DELETE /v1/rupa/consents/{rupaId}': [{}],
    'POST /v1/rupa/keys/rotate': [{ body: { expire_current_in_hours: 168 } }],
    'POST /v1/rupa/webhooks': [{ body: { url: 'https://example.com/another' } }],
    'PUT /v1/rupa/webhooks/{id}': [{ body: { name: 'replaced' } }],
    'PATCH /v1/rupa/webhooks/{id}': [{ body: { name: 'updated' } }],
    'DELETE /v1/rupa/webhooks/{id}': [{ path: { id: deletedEndpoint } }],
    'POST /v1/rupa/webhooks/{id}/disable': [{ path: { id: disabledEndpoint } }],
    'POST /v1/rupa/webhooks/{id}/enable': [{ path: { id: disabledEndpoint } }],
    'POST /v1/rupa/webhooks/{id}/rotate-secret': [{}],
    'POST /v1/rupa/webhooks/{id}/recover': [recovery()],
    'POST /v1/rupa/webhooks/{id}/test': [{}],
    'POST /v1/rupa/webhooks/{id}/deliveries/{deliveryId}/resend': [{}],
    'POST /v1/rupa/sandbox/wallet/credits': [{ isSandbox: true, body: { amount: 5 } }],
    'POST /v1/rupa/sandbox/events': [
      { isSandbox: true, body: { type: 'farmer.loan_added', rupa_id: 'rp-test-gold' } },
      { isSandbox: true, body: { type: 'account.low_balance' } },
    ],
    'POST /v1/rupa/sandbox/reset': [{ isSandbox: true }],
  };
}

/** Nothing has happened since the time that it names, so that it queues no delivery that would be in the way of the next recovery. */
function recovery(): Form {
  return { body: { since: new Date().toISOString() } };
}

/** The forms of the administrators' operations that change something about partners. */
function changesOfPartners(world: RouteWorld): Readonly<Record<string, readonly Form[]>> {
  const { changedPartner, unlinkedKey, deactivatedKey, disabledEndpoint, recoveredEndpoint } = world;
  const changed = { path: { id: changedPartner } };
  return {
    'POST /admin/v1/partners': [{ body: { company_name: 'Registered', account_type: 'bank' } }],
    'POST /admin/v1/partners/{id}/activate': [changed],
    'PATCH /admin/v1/partners/{id}': [{ ...changed, body: { legal: { tax_id: '12345678-0001' } } }],
    'POST /admin/v1/partners/{id}/deactivate': [changed],
    'PUT /admin/v1/partners/{id}/optional-sections': [{ ...changed, body: { sections: ['farms'] } }],
    'PUT /admin/v1/partners/{id}/ip-allow-list': [{ ...changed, body: { cidrs: ['203.0.113.0/24'] } }],
    'POST /admin/v1/partners/{id}/api-keys': [{ ...changed, body: {} }],
    'POST /admin/v1/api-keys': [{ body: {} }],
    'PUT /admin/v1/api-keys/{keyId}/partner': [{ path: { keyId: unlinkedKey }, body: { partner_id: changedPartner } }],
    'DELETE /admin/v1/api-keys/{keyId}': [{ path: { keyId: deactivatedKey } }],
    'POST /admin/v1/webhooks/{id}/enable': [{}],
    'POST /admin/v1/webhooks/{id}/disable': [{ path: { id: disabledEndpoint } }],
    'POST /admin/v1/webhooks/{id}/deliveries/{deliveryId}/resend': [{}],
    'POST /admin/v1/webhooks/{id}/recover': [{ path: { id: recoveredEndpoint }, ...recovery() }],
    'POST /admin/v1/partners/{id}/wallet/credits': [{ ...changed, body: { amount: 5, reference: randomUUID() } }],
    'POST /admin/v1/partners/{id}/wallet/reversals': [
      { body: { credit_reference: OPENING, amount: 5, reason: 'paid twice', reference: randomUUID() } },
    ],
    'POST /admin/v1/partners/{id}/wallet/payouts': [{ body: { amount: 5, reason: 'paid twice', reference: randomUUID() } }],
    'POST /admin/v1/lookups/{lookupId}/compensation': [{ body: { reason: 'wrong record' } }],
  };
}

/** The forms of the administrators' other operations that change something, or read with a body. */
function otherChanges({ erasedFarmer, fees, openMonth }: RouteWorld): Readonly<Record<string, readonly Form[]>> {
  const dearer = { ...fees, 'svc_fee.identity': (fees['svc_fee.identity'] ?? 0) + 1 };
  return {
    'POST /admin/v1/checkpoints': [{}],
    'POST /admin/v1/ledger/entries': [
      { body: { kind: 'passthrough_settlement', account: 'bvn', amount: 0.01, reason: 'paid', reference: randomUUID() } },
    ],
    'POST /admin/v1/ledger/periods/{month}/close': [{ path: { month: openMonth }, body: {} }],
    'POST /admin/v1/ledger/reconciliations': [
      { query: '?date=Date&reference=Narration&credit=Credit', file: 'Date,Narration,Credit\n2026-03-02,TRF-1,5\n' },
    ],
    'POST /admin/v1/approvals/{id}/approve': [{ path: { id: 'unknown' } }],
    'POST /admin/v1/approvals/{id}/reject': [{ path: { id: 'unknown' }, body: { reason: 'a mistake' } }],
    'PUT /admin/v1/farmers/{rupaId}': [{ path: { rupaId: `rp-${randomUUID()}` }, body: { identity: { first_name: 'Bala' } } }],
    'DELETE /admin/v1/farmers/{rupaId}': [{ path: { rupaId: erasedFarmer } }],
    'PUT /admin/v1/price-book': [
      { body: { fees: dearer } },
      { body: { fees, effective_at: new Date(Date.now() + HOUR_MS).toISOString() } },
    ],
    'DELETE /admin/v1/price-book/schedule': [{}],
    // A rebuilt table would have none of the rights that an API was given on the table before.
    'POST /admin/v1/projections/{name}/rebuild': [{ path: { name: 'unknown' } }],
    'POST /admin/v1/projections/{name}/retry': [{ path: { name: 'admin_call' } }],
    'POST /admin/v1/projections/{name}/verify': [{ path: { name: 'partner' } }],
    'PUT /admin/v1/maintenance': [{ body: { reason: 'A restore.' } }],
    'DELETE /admin/v1/maintenance': [{}],
  };
}

function parametersOf({ partner, rupaId, lookupId, endpoint, deliveryId }: RouteWorld, route: string): Form['path'] {
  const id = route.includes('/partners/') ? partner.partner_id : endpoint;
  return {
    id,
    stream: 'pricebook-main',
    rupaId,
    lookupId,
    deliveryId,
    number: 1,
    path: '0/000.p/1',
    jobId: 1,
    month: new Date().toISOString().slice(0, 7),
  };
}

/** Returns a call of each operation, or several. An operation that reads is called with its path, unless a table above says otherwise. */
export function routeCalls(world: RouteWorld): readonly RouteCall[] {
  const forms = { ...reading(world), ...partnersChanges(world), ...changesOfPartners(world), ...otherChanges(world) };
  const gets = OPERATIONS.filter((route) => route.startsWith('GET ') && !(route in forms)).map((route) => [route, [{}]] as const);
  return [...gets, ...Object.entries(forms)].flatMap(([route, each]) => each.map((form) => callOf(world, route, form)));
}

function callOf(world: RouteWorld, route: string, { path, query = '', body, file, isSandbox }: Form): RouteCall {
  const [method = '', template = ''] = route.split(' ');
  const parameters = { ...parametersOf(world, route), ...path };
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  const { key } = isSandbox ? world.sandboxPartner : world.partner;
  return { route, method, path: `${filled}${query}`, key, ...(body && { body }), ...(file && { file }) };
}
