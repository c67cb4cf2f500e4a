/** The part of the approvals context that other contexts may import. */
export { MayWaitForApproval } from './approvals.dto.js';
export { type Approvable, type Foreseen, FourEyes, type RecordedCall } from './four-eyes.js';
