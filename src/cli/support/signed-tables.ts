import { projections } from '../../../projections/index.js';
import { OPERATIONAL_TABLES } from '../../contexts/operational-tables.js';
import { authenticatedTables } from '../../platform/projecting/projection.js';

/** A session of the console is over before a master key is retired, which is a day after its rotation. */
export const NOT_RENEWED = ['console_session'];

/** The tables whose rows have MACs that a rotation of the master key renews. */
export const SIGNED_TABLES = [...authenticatedTables(projections), ...OPERATIONAL_TABLES];
