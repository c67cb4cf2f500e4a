import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { anyRecorded } from '../../../../test/support/unit/any-section.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { type FieldClass, fieldsOf } from '../domain/fields.js';
import { SECTION_CLASSES } from '../domain/sections.js';
import { shapedSection } from '../domain/section-shapes.js';
import { FarmerDto } from './farmer-record.dto.js';
import { componentOf } from './section-schemas.js';

@Module({})
class EmptyModule {}

type Json = Readonly<Record<string, unknown>>;

describe('the schemas of the sections', () => {
  let app: INestApplication;
  let components: Readonly<Record<string, { readonly properties?: Readonly<Record<string, Json>>; readonly required?: readonly string[] }>>;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);

  beforeAll(async () => {
    app = await NestFactory.create(EmptyModule, new FastifyAdapter(), { logger: false });
    const extraModels = [FarmerDto, ...Object.values(SECTION_CLASSES)];
    const document = SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.1.0').build(), { extraModels });
    components = (document.components?.schemas ?? {}) as typeof components;
  });
  afterAll(() => app.close());

  it('are named after the sections of the interface', () => {
    expect(componentOf('identity')).toBe('Identity');
    expect(componentOf('bvn_nin_data')).toBe('BvnNinData');
    expect(Object.keys(components).sort()).toStrictEqual([...SECTIONS.map(componentOf), 'RecordFarmer'].sort());
  });

  it('express null as a type of its own, listed once', () => {
    expect(components.Identity?.properties).toMatchObject({
      full_name: { type: ['string', 'null'] },
      kyc_status: { type: 'string', enum: ['pending', 'in_review', 'verified', 'rejected', 'expired'] },
    });
    expect(components.RecordFarmer?.properties?.identity?.properties).toMatchObject({
      full_name: { type: ['string', 'null'] },
      kyc_status: { type: ['string', 'null'], enum: ['pending', 'in_review', 'verified', 'rejected', 'expired', null] },
    });
    expect(JSON.stringify(components)).not.toContain('nullable');
  });

  it('require every field of a section in a lookup, but only the mandatory fields of a recorded section', () => {
    expect(components.OutstandingLoans?.required).toStrictEqual([
      'total_outstanding',
      'currency',
      'svc_loans',
      'partner_loans',
      'data_as_of',
    ]);
    const recorded = components.RecordFarmer?.properties?.outstanding_loans;
    expect(recorded).not.toHaveProperty('required');
    const unread = Object.entries(recorded?.properties ?? {}).filter(([, field]) => (field as Json).readOnly === true);
    expect(unread.map(([name]) => name)).toStrictEqual(['total_outstanding', 'currency', 'partner_loans']);
    expect(Object.keys(recorded?.properties ?? {})).toStrictEqual(['svc_loans', 'data_as_of', ...unread.map(([name]) => name)]);
    expect(recorded).toMatchObject({
      properties: {
        svc_loans: { items: { required: ['loan_id', 'amount', 'outstanding', 'currency', 'disbursed_at', 'status'] } },
      },
    });
    expect(components.RecordFarmer?.required).toBeUndefined();
  });

  it.each(SECTIONS)('accept everything that a lookup shows of %s', (section) => {
    const validateShown = ajv.compile(components[componentOf(section)] ?? false);
    fc.assert(
      fc.property(anyRecorded(section), (content) => {
        const shape = shapedSection(section, content, '2026-01-01');
        expect([validateShown(shape), validateShown.errors]).toStrictEqual([true, null]);
        expectEveryField(SECTION_CLASSES[section], shape);
      }),
    );
  });

  it.each(SECTIONS)('accept everything that may be recorded of %s', (section) => {
    const validateRecorded = ajv.compile(components.RecordFarmer?.properties?.[section] ?? false);
    fc.assert(
      fc.property(anyRecorded(section), (content) => {
        expect([validateRecorded(content), validateRecorded.errors]).toStrictEqual([true, null]);
      }),
    );
  });
});

/** Asserts that a shape has every field in the order of its class, and so do the nested objects that are shown whole. */
function expectEveryField(type: FieldClass, shape: Json): void {
  const fields = fieldsOf(type);
  expect(Object.keys(shape)).toStrictEqual(fields.map(({ name }) => name));
  for (const { name, kind } of fields) {
    if (kind.is === 'object' && kind.shown === 'whole') expectEveryField(kind.of, shape[name] as Json);
    if (kind.is === 'list' && kind.shown === 'whole') for (const item of shape[name] as Json[]) expectEveryField(kind.of, item);
  }
}
