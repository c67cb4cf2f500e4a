import { type Routes } from '../screen.js';
import { addAdministrationScreens } from './administration/audit-trail-screen.js';
import { addApprovalScreens } from './approvals/approvals-screen.js';
import { addBookScreens } from './books/book-screens.js';
import { addFarmerScreens } from './farmers/farmer-screens.js';
import { addPartnerScreens } from './partners/partner-screens.js';
import { addPriceScreens } from './prices/price-screens.js';
import { addReadModelScreens } from './read-models/read-model-screens.js';
import { addSearchScreens } from './search/search-screen.js';
import { addVerifyScreens } from './verify/verify-screen.js';
import { addWalletScreens } from './wallets/wallet-screens.js';
import { addWebhookScreens } from './webhooks/webhook-screens.js';

/** Every part of the console that needs nothing but a visit, each with its folder. */
export const SCREENS: readonly ((routes: Routes) => void)[] = [
  addPartnerScreens,
  addWalletScreens,
  addVerifyScreens,
  addFarmerScreens,
  addWebhookScreens,
  addPriceScreens,
  addBookScreens,
  addReadModelScreens,
  addAdministrationScreens,
  addApprovalScreens,
  addSearchScreens,
];
