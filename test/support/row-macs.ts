import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';

/** The master key of the tests' own stacks. */
export const MASTER_KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** MACs of rows under {@link MASTER_KEY}. */
export const rowMacs = new RowMacs(MasterKeys.parse(MASTER_KEY));

/** Takes every row for genuine, for tests that write rows themselves and look at something else. */
export const anyRow = Object.assign(new RowMacs(MasterKeys.parse(MASTER_KEY)), { holds: () => true });
