import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { validateBody } from '../../http/validation.js';
import { SECTIONS } from '../../kernel/section-names.js';
import { FarmerDto, recordOf } from '../farmers/farmer-record.dto.js';
import { generateSection } from './generate-section.js';
import { random } from './random.js';

describe('a section that is generated from its class', () => {
  it.each(SECTIONS)('is a valid %s, and the same for the same seed', (section) => {
    for (let index = 0; index < 50; index += 1) {
      const content = generateSection(random(1, index), section);
      expect(recordOf(validateBody(FarmerDto, { [section]: content }))).toStrictEqual({ [section]: content });
      expect(generateSection(random(1, index), section)).toStrictEqual(content);
    }
  });
});
