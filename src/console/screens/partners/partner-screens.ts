import { Readable } from 'node:stream';
import { type ApiKeyList, type IssuedApiKey } from '../../../contexts/partners/keys/api-key-responses.dto.js';
import { LEGAL_FIELDS } from '../../../contexts/partners/domain/legal-details.js';
import {
  type PartnerList,
  type PartnerView,
  type RegisteredPartner,
} from '../../../contexts/partners/registering/partner-responses.dto.js';
import { type CreditedWallet, type PaidOut, type ReversedCredit } from '../../../contexts/wallet/wallet-responses.dto.js';
import { type WatchedEndpoints } from '../../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { pathOf } from '../../admin-api.js';
import { partnersNamed, SUGGESTIONS_PATH } from '../../components/partner-field.js';
import { nairaText } from '../../components/text.js';
import { type Routes } from '../../screen.js';
import { newKeyScreen, partnerScreen } from './partner-screen.js';
import { partnersScreen } from './partners-screen.js';

const PER_PAGE = 50;

/** The list of partners, and a partner with everything that an administrator changes about it. */
export function addPartnerScreens(routes: Routes): void {
  routes.screen('/partners', async (visit) => {
    const { search, mode, status, sort, cursor } = visit.query;
    return partnersScreen(visit, await visit.api.get<PartnerList>('/partners', { search, mode, status, sort, limit: PER_PAGE, cursor }));
  });

  routes.download(SUGGESTIONS_PATH, async (visit) => {
    const found = await partnersNamed(visit, (visit.query.name ?? '').trim());
    const suggested = found.map(({ partner_id, company_name }) => ({ partner_id, company_name }));
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: Readable.from([JSON.stringify(suggested)]),
    };
  });

  routes.screen('/partners/:id', async (visit) => {
    const { id = '' } = visit.params;
    const { cursor } = visit.query;
    const [partner, keys, endpoints] = await Promise.all([
      visit.api.get<PartnerView>(pathOf`/partners/${id}`),
      visit.api.get<ApiKeyList>(pathOf`/partners/${id}/api-keys`, { cursor }),
      visit.api.get<WatchedEndpoints>(pathOf`/partners/${id}/webhooks`),
    ]);
    return partnerScreen(visit, partner, keys, endpoints);
  });

  routes.act('/partners', async ({ api }, form) => {
    const body = { company_name: form.text('company_name'), account_type: form.text('account_type'), mode: form.text('mode') };
    const { partner_id, company_name } = await api.post<RegisteredPartner>('/partners', body);
    return {
      goTo: `/console${pathOf`/partners/${partner_id}`}`,
      notice: `${company_name} is registered. It is pending until you activate it.`,
    };
  });

  addStatusActs(routes);
  addDetailsAct(routes);
  addWalletActs(routes);
  addPayoutAct(routes);
  addKeyActs(routes);
}

function addStatusActs(routes: Routes): void {
  for (const [verb, notice] of [
    ['activate', 'The partner is active.'],
    ['deactivate', 'The partner is pending: its lookups are refused.'],
  ] as const) {
    routes.act(`/partners/:id/${verb}`, async ({ api, params: { id = '' } }) => {
      await api.post(`${pathOf`/partners/${id}`}/${verb}`);
      return { goTo: pageOfPartner(id), notice };
    });
  }

  routes.act('/partners/:id/sections', async ({ api, params: { id = '' } }, form) => {
    const { optional_sections } = await api.put<PartnerView>(pathOf`/partners/${id}/optional-sections`, { sections: form.all('section') });
    const notice =
      optional_sections.length === 0 ? 'The partner has no optional sections.' : `Optional sections: ${optional_sections.join(', ')}.`;
    return { goTo: pageOfPartner(id), notice };
  });

  routes.act('/partners/:id/allow-list', async ({ api, params: { id = '' } }, form) => {
    const { ip_allow_list } = await api.put<PartnerView>(pathOf`/partners/${id}/ip-allow-list`, { cidrs: form.list('cidrs') });
    const notice =
      ip_allow_list.length === 0 ? 'The partner may call from every address.' : `The partner may call from ${ip_allow_list.join(', ')}.`;
    return { goTo: pageOfPartner(id), notice };
  });
}

function addDetailsAct(routes: Routes): void {
  routes.act('/partners/:id/details', async ({ api, params: { id = '' } }, form) => {
    const edited = (name: string): boolean => onOneLine(form.text(name)) !== onOneLine(form.text(`was_${name}`));
    // A browser sends a line's end as CRLF.
    const textOf = (name: string): string | null => form.optional(name)?.replaceAll('\r\n', '\n') ?? null;
    const legal = Object.fromEntries(LEGAL_FIELDS.filter(edited).map((field) => [field, textOf(field)]));
    const company = edited('company_name') ? { company_name: form.text('company_name') } : {};
    await api.patch<PartnerView>(pathOf`/partners/${id}`, { ...company, legal });
    return { goTo: pageOfPartner(id), notice: 'The details are saved.' };
  });
}

/** Returns a text as a field of one line shows it. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, '');
}

function addWalletActs(routes: Routes): void {
  routes.act('/partners/:id/credits', async ({ api, params: { id = '' } }, form) => {
    const amount = form.number('amount');
    const [bank_fee, withheld_tax] = [form.number('bank_fee'), form.number('withheld_tax')];
    const credit = { amount, reference: form.text('reference'), kind: form.text('kind'), reason: form.optional('reason') };
    const body = { ...credit, ...(bank_fee !== undefined && { bank_fee }), ...(withheld_tax !== undefined && { withheld_tax }) };
    const { balance, created } = await api.post<CreditedWallet>(pathOf`/partners/${id}/wallet/credits`, body);
    const notice = created ? 'The wallet is credited.' : 'This reference was credited before, so nothing changed.';
    return { goTo: pageOfPartner(id), notice: `${notice} Its balance is ${nairaText(balance)}.` };
  });

  routes.act('/partners/:id/reversals', async ({ api, params: { id = '' } }, form) => {
    const amount = form.number('amount');
    const { credit_reference, reference, reason } = {
      credit_reference: form.text('credit_reference'),
      reference: form.text('reference'),
      reason: form.text('reason'),
    };
    const { balance, reversed, created } = await api.post<ReversedCredit>(pathOf`/partners/${id}/wallet/reversals`, {
      credit_reference,
      reference,
      reason,
      ...(amount === undefined ? {} : { amount }),
    });
    const notice = created ? `${nairaText(reversed)} are taken back.` : 'This reference was reversed before, so nothing changed.';
    return { goTo: pageOfPartner(id), notice: `${notice} The balance is ${nairaText(balance)}.` };
  });
}

function addPayoutAct(routes: Routes): void {
  routes.act('/partners/:id/payouts', async ({ api, params: { id = '' } }, form) => {
    const amount = form.number('amount');
    const body = { amount, reference: form.text('reference'), reason: form.text('reason') };
    const { balance, created } = await api.post<PaidOut>(pathOf`/partners/${id}/wallet/payouts`, body);
    const notice = created ? 'The payout is recorded.' : 'This reference was paid out before, so nothing changed.';
    return { goTo: pageOfPartner(id), notice: `${notice} The balance is ${nairaText(balance)}.` };
  });
}

function addKeyActs(routes: Routes): void {
  const newKey = routes.shown<IssuedApiKey>('/partners/:id/api-keys/new/:shown', {
    kind: 'secret',
    show: newKeyScreen,
    gone: 'If the key was not stored, revoke it on the partner’s page and issue another one: the service has only its hash.',
    back: ({ id = '' }) => pageOfPartner(id),
  });

  routes.act('/partners/:id/api-keys', async (visit, form) => {
    const { id = '' } = visit.params;
    const label = form.optional('label');
    const issued = await visit.api.post<IssuedApiKey>(pathOf`/partners/${id}/api-keys`, label === undefined ? {} : { label });
    return newKey({ id }, issued);
  });

  routes.act('/partners/:id/api-keys/:keyId/revoke', async ({ api, params: { id = '', keyId = '' } }) => {
    await api.delete(pathOf`/api-keys/${keyId}`);
    return { goTo: pageOfPartner(id), notice: 'The key is deactivated on every instance.' };
  });
}

function pageOfPartner(id: string): string {
  return `/console${pathOf`/partners/${id}`}`;
}
