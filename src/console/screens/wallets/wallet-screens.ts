import { type PartnerView } from '../../../contexts/partners/registering/partner-responses.dto.js';
import {
  type WalletBalance,
  type WalletBalances,
  type WalletEntries,
  type WalletVerificationView,
} from '../../../contexts/wallet/wallet-responses.dto.js';
import { pathOf } from '../../admin-api.js';
import { utcOf } from '../../form.js';
import { type Routes } from '../../screen.js';
import { verificationScreen, walletScreen } from './wallet-screen.js';

const PER_PAGE = 50;

/** A partner's wallet: its entries, its balance over time, its statements and its export. */
export function addWalletScreens(routes: Routes): void {
  routes.screen('/wallets/:id', async (visit) => {
    const { id = '' } = visit.params;
    const { last, from, to, type, since, before, rupa_id, min, max } = visit.query;
    const filter = { type, since, before, rupa_id, min, max };
    const found = { type, recorded_from: utcOf(since), recorded_to: utcOf(before), rupa_id, min_amount: min, max_amount: max };
    const at = utcOf(visit.query.at);
    const [partner, now, entries, balances, then] = await Promise.all([
      visit.api.get<PartnerView>(pathOf`/partners/${id}`),
      visit.api.get<WalletBalance>(pathOf`/partners/${id}/wallet`),
      visit.api.get<WalletEntries>(pathOf`/partners/${id}/wallet/entries`, { from: last, limit: PER_PAGE, order: 'desc', ...found }),
      visit.api.get<WalletBalances>(pathOf`/partners/${id}/wallet/balances`, { from, to }),
      at === undefined ? undefined : visit.api.get<WalletBalance>(pathOf`/partners/${id}/wallet`, { at }),
    ]);
    const shown = { partner, now, entries, balances, period: { from, to }, filter, last };
    return walletScreen({ ...shown, then: then && { balance: then.balance, at: at ?? '' } });
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
      api.stream(pathOf`/partners/${id}/wallet/statements/${month ?? query.month ?? ''}`, {
        format: query.format === 'pdf' ? 'pdf' : 'html',
      }),
    );
}
