import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { InvalidArgumentError } from 'commander';
import { LEGAL_FIELDS, type LegalField, type LegalPatch } from '../../contexts/partners/domain/legal-details.js';
import { ChangePartner } from '../../contexts/partners/registering/change-partner.command.js';
import { GetPartner } from '../../contexts/partners/registering/get-partners.query.js';
import { type PartnerView } from '../../contexts/partners/registering/partner-responses.dto.js';
import { PartnerDetailsDto } from '../../contexts/partners/registering/partners.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { id, listed } from '../support/values.js';

const ALL = 'all';
const TITLES: Readonly<Record<LegalField, string>> = {
  name: 'legal name',
  address: 'address',
  tax_id: 'tax id',
  registration_number: 'registration number',
  email: 'email',
};

interface Options {
  readonly companyName?: string;
  readonly name?: string;
  readonly address?: string;
  readonly taxId?: string;
  readonly registrationNumber?: string;
  readonly email?: string;
  readonly clear?: readonly (LegalField | typeof ALL)[];
  readonly json?: true;
}

const CHANGING = ['companyName', 'name', 'address', 'taxId', 'registrationNumber', 'email', 'clear'] satisfies (keyof Options)[];

export function partnerDetails(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changesWithOptions(CHANGING)
    .argument('<partner>', 'id of the partner', id)
    .option('--company-name <text>', 'name of the company')
    .option('--name <text>', 'name as a legal person')
    .option('--address <text>', 'registered address')
    .option('--tax-id <text>', 'tax identification number')
    .option('--registration-number <text>', 'number in the register of companies')
    .option('--email <text>', 'address to which invoices are sent')
    .option('--clear <fields>', `details to clear, separated by commas: ${LEGAL_FIELDS.join(', ')}, or ${ALL}`, cleared)
    .option('--json', 'print as JSON')
    .action(async (partnerId: string, options: Options) => {
      const patch = patchOf(command, options);
      const isChange = CHANGING.some((name) => options[name] !== undefined);
      const details = isChange ? validateBody(PartnerDetailsDto, patch) : undefined;
      const partner = await runtime.withApplication(async (app) => {
        if (details) await app.get(CommandBus).execute(new ChangePartner(partnerId, details, runtime.actor));
        return await app.get(QueryBus).execute(new GetPartner(partnerId));
      });
      printLine(options.json ? jsonOf(partner) : factsOf(partner));
    });
}

/** Parses the names of details. Any other name is wrong usage. */
function cleared(text: string): readonly (LegalField | typeof ALL)[] {
  const names = listed(text);
  const known = [...LEGAL_FIELDS, ALL] as const;
  if (names.length === 0 || names.some((name) => !(known as readonly string[]).includes(name)))
    throw new InvalidArgumentError(`It must list some of ${known.join(', ')}.`);
  return names as (LegalField | typeof ALL)[];
}

function patchOf(command: RupaCommand, { companyName, clear = [], ...options }: Options): object {
  const { name, address, taxId: tax_id, registrationNumber: registration_number, email } = options;
  const set: LegalPatch = { name, address, tax_id, registration_number, email };
  const fields = clear.flatMap((each) => (each === ALL ? LEGAL_FIELDS : [each]));
  const both = fields.find((field) => set[field] !== undefined);
  if (both !== undefined) command.error(`error: --clear names ${both}, which another option sets`);
  const legal = { ...withoutUndefined(set), ...Object.fromEntries(fields.map((field) => [field, null])) };
  return { ...withoutUndefined({ company_name: companyName }), ...(Object.keys(legal).length > 0 ? { legal } : {}) };
}

function withoutUndefined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function jsonOf({ partner_id, company_name, customer_number, legal }: PartnerView): string {
  return JSON.stringify({ partner_id, company_name, customer_number, legal });
}

function factsOf({ partner_id, company_name, customer_number, legal }: PartnerView): string {
  return table(
    ['partner', partner_id],
    [
      ['company', company_name],
      ['customer number', customer_number.toString()],
      ...LEGAL_FIELDS.map((field) => [TITLES[field], legal[field] ?? 'none']),
    ],
  );
}
