import { type Section } from '../../../kernel/section-names.js';
import { type Recorded, type SectionOf } from './sections.js';

/** What is held of a farmer, section by section; what partners report is not part of it. */
export type FarmerRecord = { readonly phone_verified: boolean } & { readonly [S in Section]?: Recorded<SectionOf<S>> };
