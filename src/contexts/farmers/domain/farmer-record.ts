import { type Section } from '../../../kernel/section-names.js';
import { type Recorded, type SectionOf } from './sections.js';

/** A farmer's record by section, as administrators send it. Partners' reports are not part of it. */
export type FarmerRecord = { readonly phone_verified: boolean } & { readonly [S in Section]?: Recorded<SectionOf<S>> };
