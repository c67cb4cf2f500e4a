import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type ApiKeyRejectionCode = 'api_key_unknown' | 'api_key_linked' | 'api_key_deactivated';
export class ApiKeyRejection extends Rejection<ApiKeyRejectionCode> {}
