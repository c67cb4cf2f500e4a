/** The public interface of the farmers context. */
export type { FarmerRecord } from './domain/sections.js';
export { type FieldClass, fieldsOf, type Kind } from './domain/fields.js';
export { profileTier, type ReportedCriteria } from './domain/profile-tier.js';
export type * from './domain/reported-item.js';
export type * from './domain/section-items.js';
export { type SectionShape, shapedSection, totalOutstandingKobo } from './domain/section-shapes.js';
export type * from './domain/sections.js';
export { SECTION_CLASSES } from './domain/sections.js';
export { FAILING_ON_PURPOSE, TEST_FARMERS } from './domain/test-farmers/definitions.js';
export { type TestLookups } from './domain/test-farmers/test-farmer.js';
export { type SampleReports } from './domain/test-farmers/test-farmer.js';
export { FARMER_NOT_FOUND, TierView } from './recording/farmer-responses.dto.js';
export { FarmerFinder } from './farmer-finder.js';
export { importFarmers } from './importing/import-farmers.js';
export { sampleSection } from './recording/field-kinds.js';
export { FarmerRejection } from './domain/farmer.js';
export { ShowsSections } from './recording/section-schemas.js';
export { TestFarmers } from './test-farmers.js';
