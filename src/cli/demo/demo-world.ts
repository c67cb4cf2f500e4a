import { CommandBus } from '@nestjs/cqrs';
import { type INestApplicationContext } from '@nestjs/common';
import { importFarmers } from '../../contexts/farmers/public.js';
import { Clock } from '../../kernel/clock.js';
import { type AccountType } from '../../kernel/accounts.js';
import { ChangePartner, IssueApiKey, IssueApiKeyDto, RegisterPartner, RegisterPartnerDto } from '../../contexts/partners/public.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { validateBody } from '../../http/validating/validation.js';
import { CreditDto, CreditWallet } from '../../contexts/wallet/public.js';
import { generateFarmer } from './generate-farmer.js';
import { type DemoCaller, reportDemoActivity } from './demo-reports.js';

export interface DemoWorld {
  readonly farmers: number;
  readonly partners: readonly { readonly account_type: AccountType; readonly company_name: string; readonly api_key: string }[];
  /** Rupa ID of a farmer to look up first. */
  readonly rupaId: string;
}

const PARTNERS: readonly { account_type: AccountType; company_name: string }[] = [
  { account_type: 'bank', company_name: 'Savannah Demo Bank' },
  { account_type: 'insurer', company_name: 'Harmattan Demo Insurance' },
  { account_type: 'agtech', company_name: 'Fadama Demo Agtech' },
];
const OPENING_CREDIT = { amount: 1_000_000, reference: 'demo-opening-credit' };
const ACTOR = 'demo';
const FARMERS_WITH_REPORTS = 20;

/** Creates sandbox data to try the service with: three partners with API keys and money, and fictitious farmers. */
export async function createDemoWorld(
  app: INestApplicationContext,
  options: { readonly farmers: number; readonly seed: number; readonly onFarmer?: () => void },
): Promise<DemoWorld> {
  const commands = app.get(CommandBus);
  const partners: DemoWorld['partners'][number][] = [];
  const callers: DemoCaller[] = [];
  for (const partner of PARTNERS) {
    const registration = validateBody(RegisterPartnerDto, { ...partner, mode: 'sandbox' });
    const { partner_id } = await commands.execute(new RegisterPartner(registration, ACTOR));
    await commands.execute(new ChangePartner(partner_id, 'activate', ACTOR));
    await commands.execute(new CreditWallet(partner_id, validateBody(CreditDto, OPENING_CREDIT), ACTOR));
    const { api_key, key_id } = await commands.execute(new IssueApiKey(partner_id, validateBody(IssueApiKeyDto, { label: 'demo' }), ACTOR));
    partners.push({ ...partner, api_key });
    callers.push({ ...partner, partner_id, key_id, mode: 'sandbox', test_run: 0 });
  }
  const farmers = Array.from({ length: options.farmers }, (_, index) => generateFarmer(options.seed, index, 'sandbox'));
  await importFarmers(
    farmers.map((farmer) => JSON.stringify(farmer)),
    {
      actor: ACTOR,
      record: (command) => commands.execute(command),
      onRejected: (line, reason) => {
        throw new Error(`The generated farmer in line ${line} was refused: ${reason}`);
      },
      ...(options.onFarmer ? { onLine: options.onFarmer } : {}),
    },
  );
  await app.get(ReadModels).waitForAll();
  await reportDemoActivity(
    commands,
    callers,
    farmers.slice(0, FARMERS_WITH_REPORTS).map(({ rupa_id }) => rupa_id),
    app.get(Clock).now(),
  );
  return { farmers: farmers.length, partners, rupaId: farmers[0]?.rupa_id ?? '' };
}
