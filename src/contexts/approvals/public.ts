/** The part of the approvals context that other contexts may import. */
export { MayWaitForApproval } from './approvals.dto.js';
export { type Approvable, type Foreseen, FourEyes } from './four-eyes.js';
