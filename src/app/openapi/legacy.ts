import { adminPaths, adminSchemas } from './admin-paths.js';
import { errorResponses } from './errors.js';
import { farmerReportPaths, farmerReportSchemas } from './farmer-report-paths.js';
import { ledgerPaths, ledgerSchemas } from './ledger-paths.js';
import { partnerPaths, partnerSchemas } from './partner-paths.js';
import { type Part, type Paths } from './parts.js';
import { readModelPaths } from './read-model-paths.js';
import { sectionSchemas } from './section-schemas.js';
import { servicePaths } from './service-paths.js';

/** Operations of contexts whose controllers do not describe themselves yet. */
export function legacyPaths(): Paths {
  return copy({ ...partnerPaths, ...adminPaths, ...farmerReportPaths, ...ledgerPaths, ...readModelPaths, ...servicePaths }) as Paths;
}

export function legacyResponses(): Record<string, Part> {
  return copy(errorResponses) as Record<string, Part>;
}

export function legacySchemas(): Record<string, Part> {
  return copy({ ...partnerSchemas, ...sectionSchemas, ...adminSchemas, ...farmerReportSchemas, ...ledgerSchemas }) as Record<string, Part>;
}

function copy(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
