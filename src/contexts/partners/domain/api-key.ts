import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type ApiKeyEvent, type IssuedApiKey } from './api-key-events.js';

/** Callers match on these codes, so they must not change. */
export type ApiKeyRejectionCode =
  'api_key_unknown' | 'api_key_linked' | 'api_key_deactivated' | 'too_many_rotated_keys' | 'rotated_key_gone';
export class ApiKeyRejection extends Rejection<ApiKeyRejectionCode> {}

const HOUR_MS = 3_600_000;

interface CommandContext {
  readonly key_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type ApiKeyCommand = CommandContext &
  (
    | ({ readonly kind: 'issue' } & IssuedApiKey)
    | { readonly kind: 'link'; readonly partner_id: string }
    | { readonly kind: 'expire'; readonly in_hours: number }
    | { readonly kind: 'deactivate' }
  );

export type ApiKeyState =
  | { readonly status: 'unissued' }
  | {
      readonly status: 'usable' | 'deactivated';
      readonly partner_id: string | null;
      readonly rotated_from: string | null;
      /** ISO 8601, UTC; null for a key that does not expire. */
      readonly expires_at: string | null;
    };

/** Returns whether a key is refused at a time (ISO 8601, UTC). */
export function hasEnded(state: ApiKeyState, at: string): boolean {
  return state.status !== 'usable' || (state.expires_at !== null && state.expires_at <= at);
}

function decide(command: ApiKeyCommand, state: ApiKeyState): ApiKeyEvent[] {
  const data = { key_id: command.key_id, recorded_at: command.at, actor: command.actor };
  if (command.kind === 'issue') {
    if (state.status !== 'unissued') return [];
    const { key_hash, label, partner_id, prefix, last_four, rotated_from } = command;
    const shown = { ...(prefix !== undefined && { prefix }), ...(last_four !== undefined && { last_four }) };
    const origin = rotated_from === undefined ? {} : { rotated_from };
    return [{ type: 'ApiKeyIssued', data: { ...data, key_hash, label, partner_id, ...shown, ...origin } }];
  }
  if (state.status === 'unissued') throw new ApiKeyRejection('api_key_unknown');
  switch (command.kind) {
    case 'link':
      if (state.status === 'deactivated') throw new ApiKeyRejection('api_key_deactivated');
      if (state.partner_id === command.partner_id) return [];
      // A caller that has a partner's key must not be moved to the wallet and roster of another partner.
      if (state.partner_id !== null) throw new ApiKeyRejection('api_key_linked');
      return [{ type: 'ApiKeyLinked', data: { ...data, partner_id: command.partner_id } }];
    case 'expire': {
      const expires_at = new Date(Date.parse(command.at) + command.in_hours * HOUR_MS).toISOString();
      // A rotation that was interrupted after its event runs again, and a key never ends later than it was said to.
      const endsBefore = state.status === 'deactivated' || (state.expires_at !== null && state.expires_at <= expires_at);
      return endsBefore ? [] : [{ type: 'ApiKeyExpirySet', data: { ...data, expires_at } }];
    }
    case 'deactivate':
      return state.status === 'deactivated' ? [] : [{ type: 'ApiKeyDeactivated', data }];
  }
}

function evolve(state: ApiKeyState, event: ApiKeyEvent): ApiKeyState {
  if (event.type === 'ApiKeyIssued') {
    const { partner_id, rotated_from = null } = event.data;
    return { status: 'usable', partner_id, rotated_from, expires_at: null };
  }
  if (state.status === 'unissued') return state;
  switch (event.type) {
    case 'ApiKeyLinked':
      return { ...state, partner_id: event.data.partner_id };
    case 'ApiKeyExpirySet':
      return { ...state, expires_at: event.data.expires_at };
    case 'ApiKeyDeactivated':
      return { ...state, status: 'deactivated' };
  }
}

export const apiKeyDecider: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = { initialState: { status: 'unissued' }, decide, evolve };

/** One stream per key. */
export const API_KEY_STREAMS: StreamKind<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = {
  ...SHORT_STREAM,
  category: 'apikey',
  decider: apiKeyDecider,
};
