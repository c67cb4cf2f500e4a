import { describe, expect, it } from '@jest/globals';
import {
  badAmounts,
  badChoices,
  badCurrencies,
  badPositiveAmounts,
  badRequiredTexts,
  badRupaIds,
  badTexts,
  recordViolations,
  violationsOf,
} from '../../test/support/unit/violations.js';
import { type Fields, type Input, type InputClass } from '../http/validating/dto.js';
import { type ContextOf, validateBody, type validateFields } from '../http/validating/validation.js';
import { SECTIONS } from '../kernel/section-names.js';
import { ValidationFailed } from '../kernel/validation-failed.js';
import { IssueApiKeyDto, LinkApiKeyDto } from './partners/keys/api-keys.dto.js';
import { LookupDto } from './lookups/looking-up/lookup.dto.js';
import { LEGAL_FIELDS } from './partners/domain/legal-details.js';
import {
  IpAllowListDto,
  LowBalanceDto,
  OptionalSectionsDto,
  PartnerDetailsDto,
  RegisterPartnerDto,
} from './partners/registering/partners.dto.js';
import { SECTION_CLASSES } from './farmers/domain/sections.js';
import { FarmerDto, ImportFarmerDto, recordOf } from './farmers/recording/farmer-record.dto.js';
import { importFarmers } from './farmers/importing/import-farmers.js';
import { type RecordFarmer } from './farmers/recording/record-farmer.command.js';
import { FEE_KEYS } from './pricing/domain/price-book.js';
import { PriceBookDto } from './pricing/publishing/pricing.dto.js';
import { SandboxCreditDto } from './sandbox/sandbox.dto.js';
import { type CreditWallet, CreditWalletHandler } from './wallet/crediting/credit-wallet.command.js';
import { CompensationDto, CreditDto, ReversalDto } from './wallet/wallet.dto.js';
import { ERASED_TYPE, NOTIFICATION_TYPES } from './webhooks/domain/notification-types.js';
import { RecoverWebhookDto, RegisterWebhookDto, SandboxEventDto, UpdateWebhookDto } from './webhooks/endpoints/webhooks.dto.js';
import { ReportDto } from './reports/report.dto.js';
import { ReportActivity } from './reports/report-activity.command.js';

/** A field by its path, such as `payload/expires_at`, with values that break its rule. */
type Violations = readonly [path: string, values: readonly unknown[], others?: object];

interface Door {
  readonly valid: object;
  /** Makes the input of a body. @throws ValidationFailed */
  readonly open: (body: object) => object;
  readonly violations: readonly Violations[];
}

const door = <T extends Input>(type: InputClass<T>, valid: object, violations: readonly Violations[]): Door => ({
  valid,
  open: (body) => validateBody<Input>(type, body),
  violations,
});

const reporter = { accountType: 'bank' as const, now: new Date('2026-11-21T10:00:00.000Z') };
const report = { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1, currency: 'NGN', partner_reference: 'r', payload: { a: 1 } };
/** Returns values without those that mean that the field was not sent. */
const sent = (values: readonly unknown[]): readonly unknown[] => values.filter((value) => value !== null && value !== undefined);
const unstorableKeys = [{ 'a\0': 1 }, { '\ud83c': 1 }];

const fees = Object.fromEntries(FEE_KEYS.map((key) => [key, 1]));
const badSettings: readonly Violations[] = [
  ['name', sent(badTexts())],
  ['events', [[], ['other'], 'x', ['*', ...badTexts()], Array.from({ length: 101 }, () => '*')]],
];

const doors: Readonly<Record<string, Door>> = {
  'a report': {
    valid: report,
    open: (body) => validateBody(ReportDto, body, reporter),
    violations: [
      ['rupa_id', badRupaIds],
      ['event', [...badChoices, 'harvest_record']],
      ['currency', badCurrencies],
      ['amount', badAmounts],
      ['partner_reference', sent(badRequiredTexts())],
      ['occurred_at', ['yesterday', '2026-11-22T10:00:00.001Z', '1899-12-31', 'a\0b', '12026-01-01']],
      ['payload', [1, [1], { a: '\0' }, ...unstorableKeys, { a: 'x'.repeat(16 * 1024) }, { a: Infinity }]],
      ['payload/loan_reference', badTexts(), { event: 'loan_repayment' }],
      ['payload/expires_at', ['soon', '2026-02-30', '1899-12-31', 'a\0b', 1], { event: 'policy_issued' }],
    ],
  },
  'a credit': door(CreditDto, { amount: 1, reference: 'r', reason: 'x' }, [
    ['amount', badPositiveAmounts],
    ['reference', badRequiredTexts()],
    ['reason', badTexts()],
    ['kind', badChoices],
    ['reason', ['', ' ', null], { kind: 'goodwill' }],
  ]),
  'a reversal of a credit': door(ReversalDto, { credit_reference: 'r', amount: 1, reference: 'v', reason: 'x' }, [
    ['amount', sent(badPositiveAmounts)],
    ['credit_reference', badRequiredTexts()],
    ['reference', badRequiredTexts()],
    ['reason', badRequiredTexts()],
  ]),
  'a compensation of a lookup': door(CompensationDto, { reason: 'x' }, [['reason', badRequiredTexts()]]),
  'a lookup': door(LookupDto, { rupa_id: 'rp-1', sections: ['farms'], source: 'loan' }, [
    ['rupa_id', badRupaIds],
    ['sections', [[], ['other'], 'farms', [1]]],
    ['source', badTexts()],
  ]),
  'a registration of a partner': door(RegisterPartnerDto, { company_name: 'A', account_type: 'bank', mode: 'live' }, [
    ['company_name', badRequiredTexts()],
    ['account_type', badChoices],
    ['mode', badChoices],
  ]),
  'a change of optional sections': door(OptionalSectionsDto, { sections: ['farms'] }, [
    ['sections', ['x', null, ['other'], Array.from({ length: 10 }, () => 'farms')]],
  ]),
  'a change of an allow-list': door(IpAllowListDto, { cidrs: ['10.0.0.0/8', '::1'] }, [
    ['cidrs', ['x', null, ['somewhere'], [''], ['1'.repeat(65)], [1], Array.from({ length: 1_001 }, () => '::1')]],
  ]),
  'a change of a partner’s details': door(PartnerDetailsDto, { company_name: 'A', legal: { name: 'A Plc', tax_id: null } }, [
    ['company_name', badRequiredTexts()],
    ['legal', [1, 'x', [], [{}], { name: 'A', title: 'x' }]],
    ...LEGAL_FIELDS.map((field): Violations => [`legal/${field}`, sent(badRequiredTexts())]),
  ]),
  'a change of the threshold of a low balance': door(LowBalanceDto, { amount: 1 }, [['amount', sent(badPositiveAmounts)]]),
  'an API key': door(IssueApiKeyDto, { label: 'a' }, [['label', badTexts()]]),
  'a link of an API key': door(LinkApiKeyDto, { partner_id: 'p1' }, [['partner_id', badRequiredTexts(64)]]),
  'a registration of a webhook': door(RegisterWebhookDto, { url: 'https://partner.example/', name: 'main', events: ['*'] }, [
    ...badSettings,
    ['url', badRequiredTexts(2_048)],
  ]),
  'an update of a webhook': door(UpdateWebhookDto, { events: ['*'] }, badSettings),
  'a recovery of a webhook': door(RecoverWebhookDto, { since: '2026-03-01' }, [['since', ['', 'soon', '2026-02-30', '1899-12-31', 1]]]),
  'an event that is triggered in the sandbox': door(SandboxEventDto, { type: 'farmer.loan_added', rupa_id: 'rp-1' }, [
    ['type', badChoices],
    ...[...NOTIFICATION_TYPES, ERASED_TYPE].map((type): Violations => ['rupa_id', [...badRupaIds, undefined], { type }]),
  ]),
  'a price book': door(PriceBookDto, { fees, effective_at: '2026-12-01' }, [
    ['fees', [1, 'x', [], {}, null, { ...fees, tip: 1 }]],
    ...FEE_KEYS.map((key): Violations => [`fees/${key}`, [...badAmounts, 1_000_000.01, null, undefined]]),
    ['effective_at', ['', 'soon', '2026-02-30', '1899-12-31', 'a\0b', 1]],
  ]),
  'a farmer': door(FarmerDto, { mode: 'live', phone_verified: true, identity: { full_name: 'A' } }, [
    ['mode', badChoices],
    ['phone_verified', ['true', 1, {}]],
    ...SECTIONS.map((section): Violations => [section, violationsOf({ is: 'object', of: SECTION_CLASSES[section], shown: 'whole' })]),
  ]),
  'a farmer of an import': door(ImportFarmerDto, { rupa_id: 'rp-1' }, [['rupa_id', badRupaIds]]),
  'play money': door(SandboxCreditDto, { amount: 1 }, [['amount', [...badPositiveAmounts, 1_000_001]]]),
};

/** Returns the object with the value at the path. */
function withField(object: object, path: string, value: unknown): object {
  const [field = '', ...rest] = path.split('/');
  const inner = (object as Readonly<Record<string, unknown>>)[field];
  return { ...object, [field]: rest.length === 0 ? value : withField(inner ?? {}, rest.join('/'), value) };
}

function refusal(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe.each(Object.entries(doors))('%s', (_name, { valid, open, violations }) => {
  it('is accepted within its bounds', () => {
    expect(open(valid)).toMatchObject(valid);
  });

  it.each(violations)('is refused if its field %s is out of bounds', (path, values, others = {}) => {
    for (const value of values) {
      const refused = refusal(() => open(withField({ ...valid, ...others }, path, value)));
      expect([path, value, refused]).toStrictEqual([path, value, expect.any(ValidationFailed)]);
      for (const sentence of (refused as ValidationFailed).sentences) expect(sentence).toMatch(/^The .+ field .+\.$/);
    }
  });
});

/** Imports the lines. @returns the commands, and how many lines were refused */
async function imported(lines: readonly object[]): Promise<{ commands: RecordFarmer[]; refused: number }> {
  const commands: RecordFarmer[] = [];
  const { refused } = await importFarmers(
    lines.map((line) => JSON.stringify(line)),
    {
      actor: 'test',
      record: (command) => Promise.resolve({ created: commands.push(command) > 0, changed: true }),
      onRejected: () => undefined,
    },
  );
  return { commands, refused };
}

describe('a line of an import', () => {
  it.each(SECTIONS)('is refused for each %s that HTTP refuses', async (section) => {
    const lines = recordViolations(SECTION_CLASSES[section]).map((content) => ({ rupa_id: 'rp-1', [section]: content }));
    expect(await imported(lines)).toStrictEqual({ commands: [], refused: lines.length });
  });

  it('and a body have the same currencies, in upper case', async () => {
    const farmer = { wallet: { currency: 'xof' }, transaction_volume: { currency: 'NGN' } };
    const { commands } = await imported([{ rupa_id: 'rp-1', ...farmer }]);
    const recorded = { wallet: { currency: 'XOF' }, transaction_volume: { currency: 'NGN' } };
    expect([validateBody(FarmerDto, farmer), commands[0]?.farmer].map((each) => each && recordOf(each))).toStrictEqual([
      recorded,
      recorded,
    ]);
  });
});

describe('a text of an input', () => {
  const emoji = '🌾'.repeat(255);
  const references = (text: string): object => ({
    ...report,
    event: 'loan_repayment',
    partner_reference: text,
    payload: { loan_reference: text },
  });

  it('may have as many characters in each field, whatever UTF-16 units they take', () => {
    expect(validateBody(ReportDto, references(emoji), reporter).partner_reference).toBe(emoji);
    const refused = refusal(() => validateBody(ReportDto, references(`${emoji}🌾`), reporter)) as ValidationFailed;
    expect(Object.keys(refused.errors).sort()).toStrictEqual(['partner_reference', 'payload.loan_reference']);
  });

  it('is not longer than its limit by characters that show nothing', () => {
    const hidden = 'a\ufe0f'.repeat(255);
    expect(() => validateBody(ReportDto, { ...report, partner_reference: hidden }, reporter)).toThrow(ValidationFailed);
  });
});

/** A lookalike has all public members of a class, but was not made by it. */
type Lookalike<T> = { [Member in keyof T]: T[Member] };
/** The answer of the compiler to whether the value may be passed where the target is taken. */
type Fits<Value, Target> = [Value] extends [Target] ? true : false;
type Taken = ConstructorParameters<typeof ReportActivity>[1];

describe('a command', () => {
  it('takes an input from validation, and nothing that looks like one', () => {
    // The compiler checks these values: it refuses `false` for what fits, and `true` for what does not.
    const validated: Fits<ReturnType<typeof validateBody<ReportDto>>, Taken> = true;
    const lookalike: Fits<Lookalike<ReportDto>, Taken> = false;
    const withoutItsSender: Fits<ReturnType<typeof validateFields<ReportDto>>, Taken> = false;
    const withoutContext: Fits<[], ContextOf<ReportDto>> = false;
    const madeByHand: Fits<typeof ReportDto, new () => unknown> = false;
    const fieldsOfTheLog: Fits<Fields<CreditDto>, ConstructorParameters<typeof CreditWallet>[1]> = false;
    expect({ validated, lookalike, withoutItsSender, withoutContext, madeByHand, fieldsOfTheLog }).toStrictEqual({
      fieldsOfTheLog: false,
      validated: true,
      lookalike: false,
      withoutItsSender: false,
      withoutContext: false,
      madeByHand: false,
    });
  });

  it('is made of an approved call if its fields are still valid', () => {
    const handler = Object.create(CreditWalletHandler.prototype) as CreditWalletHandler;
    const commandOf = (call: object): CreditWallet => handler.commandOf({ partner_id: 'p1', ...call }, 'admin:amina');
    const { partnerId, credit, actor } = commandOf({ amount: 1, reference: 'r' });
    expect({ partnerId, credit: { ...(credit as object) }, actor }).toStrictEqual({
      partnerId: 'p1',
      credit: { amount: 1, reference: 'r' },
      actor: 'admin:amina',
    });
    expect(refusal(() => commandOf({ amount: -1, reference: 'r' }))).toBeInstanceOf(ValidationFailed);
    expect(refusal(() => commandOf({ amount: 1, reference: 'r', colour: 'red' }))).toBeInstanceOf(ValidationFailed);
  });

  it('gets no input from a caller without types either', () => {
    const partner = { partner_id: 'p1', account_type: 'bank' as const, key_id: 'k1', mode: 'live' as const, test_run: 0 };
    const valid = validateBody(ReportDto, report, reporter);
    expect(new ReportActivity(partner, valid).report).toBe(valid);
    expect(() => Reflect.apply(validateBody, undefined, [ReportDto, report]) as unknown).toThrow();
    expect(() => Reflect.construct(ReportDto, []) as unknown).toThrow('Only validation makes an input.');
  });
});
