import { type PartnerView } from '../../../contexts/partners/partner-responses.dto.js';
import { type WalletBalance, type WalletEntries, type WalletVerificationView } from '../../../contexts/wallet/wallet-responses.dto.js';
import { pathOf } from '../../admin-api.js';
import { utcOf } from '../../form.js';
import { type Routes } from '../../screen.js';
import { verificationScreen, walletScreen } from './wallet-screen.js';

const PER_PAGE = 50;

/** A partner's wallet: its entries, its balance over time, its statements and its export. */
export function addWalletScreens(routes: Routes): void {
  routes.screen('/wallets/:id', async (visit) => {
    const { id = '' } = visit.params;
    const [partner, now] = await Promise.all([
      visit.api.get<PartnerView>(pathOf`/partners/${id}`),
      visit.api.get<WalletBalance>(pathOf`/partners/${id}/wallet`),
    ]);
    // The interface lists the oldest entries first, and the newest ones are what people look for.
    const last = Math.min(wholeNumber(visit.query.last) ?? Infinity, now.revision ?? -1);
    const from = Math.max(0, last - PER_PAGE + 1);
    const { entries } = await visit.api.get<WalletEntries>(pathOf`/partners/${id}/wallet/entries`, {
      from,
      limit: Math.max(1, last - from + 1),
    });
    const at = utcOf(visit.query.at);
    const then = at === undefined ? undefined : await visit.api.get<WalletBalance>(pathOf`/partners/${id}/wallet`, { at });
    return walletScreen(partner, now, entries.toReversed(), then && { balance: then.balance, at: at ?? '' });
  });

  routes.screen('/wallets/:id/verification', async ({ api, params: { id = '' } }) => {
    const [partner, verification] = await Promise.all([
      api.get<PartnerView>(pathOf`/partners/${id}`),
      api.get<WalletVerificationView>(pathOf`/partners/${id}/wallet/verification`),
    ]);
    return verificationScreen(partner, verification);
  });

  routes.download('/wallets/:id/export', ({ api, params: { id = '' } }) => api.stream(pathOf`/partners/${id}/wallet/export`));
  // A form without scripts can only put the month into the query string.
  for (const path of ['/wallets/:id/statements', '/wallets/:id/statements/:month'])
    routes.download(path, ({ api, params: { id = '', month }, query }) =>
      api.stream(pathOf`/partners/${id}/wallet/statements/${month ?? query.month ?? ''}`, { format: 'html' }),
    );
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
