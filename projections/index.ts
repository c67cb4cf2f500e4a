import { authenticatedTables, type Projection, tablesOf } from '../src/platform/projecting/projection.js';
import { adminCallProjection } from './admin-call/admin-call.projection.js';
import { apiKeyProjection } from './api-key/api-key.projection.js';
import { approvalProjection } from './approval/approval.projection.js';
import { consentRosterProjection } from './consent-roster/consent-roster.projection.js';
import { contributionProjection } from './contribution/contribution.projection.js';
import { customerProjection } from './customer/customer.projection.js';
import { erasedFarmerProjection } from './erased-farmer/erased-farmer.projection.js';
import { farmerProfileProjection } from './farmer-profile/farmer-profile.projection.js';
import { ledgerDayProjection } from './ledger-day/ledger-day.projection.js';
import { ledgerEntryProjection } from './ledger-entry/ledger-entry.projection.js';
import { ledgerPeriodProjection } from './ledger-period/ledger-period.projection.js';
import { lowBalanceThresholdProjection } from './low-balance-threshold/low-balance-threshold.projection.js';
import { openChargeProjection } from './open-charge/open-charge.projection.js';
import { partnerProjection } from './partner/partner.projection.js';
import { partnerUsageProjection } from './partner-usage/partner-usage.projection.js';
import { priceBookProjection } from './price-book/price-book.projection.js';
import { walletEntryProjection } from './wallet-entry/wallet-entry.projection.js';
import { webhookEndpointProjection } from './webhook-endpoint/webhook-endpoint.projection.js';

/** All read models that the projector maintains. */
export const projections: readonly Projection[] = [
  partnerProjection,
  customerProjection,
  apiKeyProjection,
  partnerUsageProjection,
  farmerProfileProjection,
  erasedFarmerProjection,
  contributionProjection,
  consentRosterProjection,
  walletEntryProjection,
  openChargeProjection,
  ledgerDayProjection,
  ledgerEntryProjection,
  ledgerPeriodProjection,
  priceBookProjection,
  webhookEndpointProjection,
  lowBalanceThresholdProjection,
  adminCallProjection,
  approvalProjection,
];

/** Names of the tables whose rows have MACs, because calls decide by them. */
export const AUTHENTICATED: readonly string[] = authenticatedTables(projections).map(({ name }) => name);

/** Returns the read model with the table of that name, its own or one that is derived from it. */
export function readModelOf(table: string): Projection | undefined {
  return projections.find((each) => tablesOf([each]).some(({ name }) => name === table));
}
