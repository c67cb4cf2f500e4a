import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyRecorded } from '../../test/support/unit/any-section.js';
import {
  badAmounts,
  badChoices,
  badRequiredTexts,
  badRupaIds,
  recordViolations,
  violationsOf,
} from '../../test/support/unit/violations.js';
import { validateBody } from '../http/validation.js';
import { SECTIONS } from '../kernel/section-names.js';
import { ValidationFailed } from '../kernel/validation-failed.js';
import { consentDecider, type ReleaseConsent } from './consents/domain/consent.js';
import { type FarmerCommand, farmerDecider } from './farmers/domain/farmer.js';
import { recordErrors } from './farmers/domain/record-bounds.js';
import { SECTION_CLASSES } from './farmers/domain/sections.js';
import { FarmerDto, recordOf } from './farmers/farmer-record.dto.js';
import { importFarmers } from './farmers/import-farmers.js';

const by = { at: '2026-11-21T10:00:00.000Z', actor: 'test' };
const ID = 64;

type Decide = (over: object) => unknown;
type Bounds = readonly [field: string, values: readonly unknown[]];

/** Returns `path` of the object replaced by the value: `settings.url` is the field `url` of its field `settings`. */
function withField(object: object, path: string, value: unknown): object {
  const [field = '', ...rest] = path.split('/');
  const inner = (object as Readonly<Record<string, unknown>>)[field];
  return { ...object, [field]: rest.length === 0 ? value : withField(inner ?? {}, rest.join('/'), value) };
}

function command(valid: object, decide: Decide, bounds: readonly Bounds[]) {
  return { valid, decide, bounds };
}

const commands: Readonly<Record<string, ReturnType<typeof command>>> = {
  'a release of a consent': command(
    { ...by, partner_id: 'p1', rupa_id: 'rp-1', granted_revision: 0 },
    (over) => consentDecider.decide(over as ReleaseConsent, consentDecider.initialState),
    [
      ['partner_id', badRequiredTexts(ID)],
      ['rupa_id', badRupaIds],
      ['granted_revision', [-1, 0.5, NaN, '1']],
    ],
  ),
  'a farmer': command(
    { ...by, kind: 'put', rupa_id: 'rp-1', mode: 'live', record: {} },
    (over) => farmerDecider.decide(over as FarmerCommand, farmerDecider.initialState),
    [
      ['rupa_id', badRupaIds],
      ['mode', badChoices],
      ['record/phone_verified', ['true', 1, {}]],
      ['record/nothing', [{}]],
      ['record/identity', [{ nothing: 1 }, { constructor: 1 }]],
      ...SECTIONS.map((section): Bounds => [
        `record/${section}`,
        violationsOf({ is: 'object', of: SECTION_CLASSES[section], shown: 'whole' }),
      ]),
    ],
  ),
  'an erasure': command(
    { ...by, kind: 'erase', rupa_id: 'rp-1' },
    (over) => farmerDecider.decide(over as FarmerCommand, { status: 'erased' }),
    [['rupa_id', badRupaIds]],
  ),
};

describe.each(Object.entries(commands))('%s', (_name, { valid, decide, bounds }) => {
  it('is accepted within its bounds', () => {
    expect(() => decide(valid)).not.toThrow();
  });

  it.each(bounds)('is refused by the decider if its field %s is out of bounds', (field, values) => {
    for (const value of values) {
      let refusal: unknown;
      try {
        decide(withField(valid, field, value));
      } catch (error) {
        refusal = error;
      }
      expect([field, value, refusal]).toStrictEqual([field, value, expect.any(ValidationFailed)]);
      for (const sentence of (refusal as ValidationFailed).sentences) expect(sentence).toMatch(/^The .+ field .+\.$/);
    }
  });
});

describe.each(SECTIONS)('the section %s', (section) => {
  it('has the same bounds in requests, in imports and in the decider', async () => {
    const violations = recordViolations(SECTION_CLASSES[section]);
    for (const content of violations) {
      expect(() => validateBody(FarmerDto, { [section]: content })).toThrow(ValidationFailed);
      expect(recordErrors({ [section]: content })).not.toStrictEqual({});
    }
    const lines = violations.map((content) => JSON.stringify({ rupa_id: 'rp-1', [section]: content }));
    const refused: number[] = [];
    const result = await importFarmers(lines, {
      actor: 'test',
      record: () => Promise.reject(new Error('A line that is out of bounds was recorded.')),
      onRejected: (line) => refused.push(line),
    });
    expect(result).toStrictEqual({ registered: 0, updated: 0, unchanged: 0, refused: lines.length, lastLine: lines.length });
    expect(refused).toHaveLength(lines.length);
  });

  it('is within the bounds of the decider whenever a request with it is accepted', () => {
    fc.assert(
      fc.property(anyRecorded(section), (content) => {
        expect(recordErrors(recordOf(validateBody(FarmerDto, { [section]: content })))).toStrictEqual({});
      }),
    );
  });
});

describe('an amount that HTTP refuses', () => {
  it('is out of the bounds of every amount in a record', () => {
    for (const amount of badAmounts) expect(recordErrors({ wallet: { balance: amount as number } })).not.toStrictEqual({});
  });
});
