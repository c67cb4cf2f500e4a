import { defineEntity } from '@mikro-orm/core';
import { type FarmerEvent, type RecordPart, type RecordParts } from '../../src/contexts/farmers/domain/events.js';
import { type CreditHistory } from '../../src/contexts/farmers/domain/sections.js';
import { type Mode } from '../../src/kernel/accounts.js';
import { type Section, SECTIONS } from '../../src/kernel/section-names.js';
import { criteriaOf } from '../../src/contexts/farmers/domain/profile-tier.js';
import { type TestFacts } from '../../src/contexts/farmers/domain/test-farmers/test-farmer.js';
import { shapedSection } from '../../src/contexts/farmers/domain/section-shapes.js';
import { ignored, projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

/**
 * Number of sections in version 4. Adding a section, which adds a column, increases the version below; increase it by hand for other
 * changes.
 */
const SECTIONS_OF_VERSION_4 = 9;

const table = defineEntity({
  name: 'farmer_profile',
  tableName: 'farmer_profile',
  properties: {
    rupa_id: column.text().primary(),
    mode: column.text<Mode>(),
    erased: column.boolean(),
    registered_at: column.time(),
    has_bureau_report: column.boolean(),
    bvn_verified: column.boolean(),
    nin_verified: column.boolean(),
    agent_enrolled: column.boolean(),
    gps_farm: column.boolean(),
    ndvi_present: column.boolean(),
    phone_verified: column.boolean(),
    /** The facts of a test farmer of the sandbox; null for any other farmer. */
    test: column.document<TestFacts>().nullable(),
    // In the interface's shape, each with its `data_as_of`; null if the section was never recorded.
    ...forEachSection(() => column.document<unknown>().nullable()),
    ...authenticatedColumns,
  },
});

export type FarmerProfileRow = RowOf<typeof table>;

type Profile = WithoutMac<FarmerProfileRow>;

function forEachSection<T>(make: () => T): { readonly [S in Section]: T } {
  return Object.fromEntries(SECTIONS.map((section) => [section, make()])) as { readonly [S in Section]: T };
}

const emptyProfile = {
  has_bureau_report: false,
  bvn_verified: false,
  nin_verified: false,
  agent_enrolled: false,
  gps_farm: false,
  ndvi_present: false,
  phone_verified: false,
  ...forEachSection(() => null),
};

const keys = ({ data }: { data: { rupa_id: string } }) => [{ rupa_id: data.rupa_id }];

function withPart(row: Profile, part: RecordPart, content: unknown, data_as_of: string): Profile {
  if (row.erased) return row;
  if (part === 'phone_verified') return { ...row, phone_verified: content === true };
  // A part that this version does not know has no column.
  if (!SECTIONS.includes(part)) return row;
  const known = content ?? {};
  const bureau = part === 'credit_history' ? { has_bureau_report: (known as CreditHistory).bureau != null } : {};
  // Content is null after the data key was destroyed. The section then looks as if it had never been recorded.
  return { ...row, ...criteriaOf(part, known), ...bureau, [part]: content === null ? null : shapedSection(part, known, data_as_of) };
}

function withParts(row: Profile, parts: RecordParts): Profile {
  const sent = Object.entries(parts) as [RecordPart, { content: unknown; data_as_of: string }][];
  return sent.reduce((known, [part, { content, data_as_of }]) => withPart(known, part, content, data_as_of), row);
}

export const farmerProfileProjection = projection<Profile, FarmerEvent>({
  name: 'farmer_profile',
  version: 4 + (SECTIONS.length - SECTIONS_OF_VERSION_4),
  table,
  personal: true,
  handlers: {
    FarmerRegistered: {
      creates: true,
      keys,
      apply: (_row, { data: { rupa_id, mode, recorded_at, parts } }) => {
        const row = { rupa_id, mode, erased: false, registered_at: recorded_at, test: null, ...emptyProfile };
        return withParts(row, parts ?? {});
      },
    },
    FarmerSectionUpdated: { keys, apply: (row, { data }) => row && withPart(row, data.part, data.content, data.data_as_of) },
    // The score also arrives as a field of the section credit_history.
    CreditScoreChanged: ignored,
    TestFarmerDefined: {
      keys,
      apply: (row, { data: { version, lookups, reports } }) => row && { ...row, test: { version, lookups, reports } },
    },
    FarmerErased: { keys, apply: (row) => row && { ...row, erased: true, ...emptyProfile } },
  },
});
