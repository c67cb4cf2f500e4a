import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { IssueApiKey } from '../contexts/api-keys/issue-api-key.command.js';
import { ChangePartner } from '../contexts/partners/change-partner.command.js';
import { ACCOUNT_TYPES, type AccountType } from '../kernel/account-types.js';
import { type Mode, MODES } from '../kernel/modes.js';
import { GetPartners, type PartnerView } from '../contexts/partners/get-partners.query.js';
import { RegisteredPartners } from '../contexts/partners/registered-partners.js';
import { RegisterPartner } from '../contexts/partners/register-partner.command.js';
import { CreditWallet } from '../contexts/wallet/credit-wallet.command.js';
import { formatNaira, toKobo } from '../kernel/money.js';
import { say, table } from './output.js';
import { withApp } from './with-app.js';

const ACTOR = 'cli';
const MAX_REASON_LENGTH = 255;

interface Json {
  readonly json?: boolean;
}

/** The administrators' calls, by hand. */
export function partners(program: Command): void {
  const group = program.command('partners').description('partners, their keys and their money');
  list(group);
  create(group);
  activate(group);
  key(group);
  credit(group);
}

function list(group: Command): void {
  group
    .command('list')
    .option('--json', 'print as JSON')
    .action(async ({ json }: Json) => {
      const found = await withApp((app) => app.get(QueryBus).execute(new GetPartners()));
      say(json ? JSON.stringify(found) : partnerTable(found));
    });
}

function create(group: Command): void {
  group
    .command('create')
    .argument('<company>', 'its name')
    .addOption(new Option('--type <type>', 'account type').choices(ACCOUNT_TYPES).makeOptionMandatory())
    .addOption(new Option('--mode <mode>').choices(MODES).default('live'))
    .action(async (company_name: string, { type, mode }: { type: AccountType; mode: Mode }) => {
      const command = new RegisterPartner({ company_name, account_type: type, mode }, ACTOR);
      say((await withApp((app) => app.get(CommandBus).execute(command))).partner_id);
    });
}

function activate(group: Command): void {
  group
    .command('activate')
    .argument('<partner>', 'its id')
    .action(async (id: string) => {
      await withApp((app) => app.get(CommandBus).execute(new ChangePartner(id, { kind: 'activate' }, ACTOR)));
      say('active');
    });
}

function key(group: Command): void {
  group
    .command('key')
    .description('issue an API key; it is shown this once')
    .argument('<partner>', 'its id')
    .option('--label <text>', 'what it is for')
    .action(async (id: string, { label }: { label?: string }) => {
      const { api_key } = await withApp((app) => app.get(CommandBus).execute(new IssueApiKey(id, label ?? null, ACTOR)));
      say(api_key);
    });
}

function credit(group: Command): void {
  group
    .command('credit')
    .argument('<partner>', 'its id')
    .argument('<amount>', 'NGN, at most two decimals')
    .requiredOption('--reference <text>', 'the idempotency key: the same one again adds nothing')
    .option('--reason <text>', 'why, such as goodwill; shown in the wallet’s entries', reasonText)
    .action(async (id: string, amount: string, { reference, reason }: { reference: string; reason?: string }) => {
      const kobo = toKobo(Number(amount));
      const { balance_kobo, created } = await withApp(async (app) => {
        await app.get(RegisteredPartners).assertExists(id);
        return await app.get(CommandBus).execute(new CreditWallet(id, kobo, reference, ACTOR, reason ?? null));
      });
      say(`${created ? 'credited' : 'credited before'}; the balance is NGN ${formatNaira(balance_kobo)}`);
    });
}

function reasonText(text: string): string {
  if (text.length > MAX_REASON_LENGTH) throw new InvalidArgumentError(`It must not be longer than ${MAX_REASON_LENGTH} characters.`);
  return text;
}

function partnerTable(found: readonly PartnerView[]): string {
  const rows = found.map(({ partner_id, company_name, account_type, mode, status, wallet_balance }) => [
    partner_id,
    company_name,
    account_type,
    mode,
    status,
    wallet_balance.toLocaleString('en-NG', { minimumFractionDigits: 2 }),
  ]);
  return table(['id', 'company', 'type', 'mode', 'status', 'balance (NGN)'], rows, [5]);
}
