import { projections } from '../../../projections/index.js';
import { WEBHOOK_TABLES } from '../../contexts/webhooks/notifying/signed-rows.js';
import { authenticatedTables } from '../../platform/projecting/projection.js';

/** The tables whose rows have MACs that a rotation of the master key renews. */
export const SIGNED_TABLES = [...authenticatedTables(projections), ...WEBHOOK_TABLES];
