import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type ApiKeyEvent } from './api-key-events.js';

/** Callers match on these codes, so they must not change. */
export type ApiKeyRejectionCode = 'api_key_unknown' | 'api_key_linked' | 'api_key_deactivated';
export class ApiKeyRejection extends Rejection<ApiKeyRejectionCode> {}

interface CommandContext {
  readonly key_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type ApiKeyCommand = CommandContext &
  (
    | { readonly kind: 'issue'; readonly key_hash: string; readonly label: string | null; readonly partner_id: string | null }
    | { readonly kind: 'link'; readonly partner_id: string }
    | { readonly kind: 'deactivate' }
  );

export type ApiKeyState =
  { readonly status: 'unissued' } | { readonly status: 'usable' | 'deactivated'; readonly partner_id: string | null };

function decide(command: ApiKeyCommand, state: ApiKeyState): ApiKeyEvent[] {
  const data = { key_id: command.key_id, recorded_at: command.at, actor: command.actor };
  if (command.kind === 'issue') {
    if (state.status !== 'unissued') return [];
    const { key_hash, label, partner_id } = command;
    return [{ type: 'ApiKeyIssued', data: { ...data, key_hash, label, partner_id } }];
  }
  if (state.status === 'unissued') throw new ApiKeyRejection('api_key_unknown');
  switch (command.kind) {
    case 'link':
      if (state.status === 'deactivated') throw new ApiKeyRejection('api_key_deactivated');
      if (state.partner_id === command.partner_id) return [];
      // A caller that has a partner's key must not be moved to the wallet and roster of another partner.
      if (state.partner_id !== null) throw new ApiKeyRejection('api_key_linked');
      return [{ type: 'ApiKeyLinked', data: { ...data, partner_id: command.partner_id } }];
    case 'deactivate':
      return state.status === 'deactivated' ? [] : [{ type: 'ApiKeyDeactivated', data }];
  }
}

function evolve(state: ApiKeyState, event: ApiKeyEvent): ApiKeyState {
  if (event.type === 'ApiKeyIssued') return { status: 'usable', partner_id: event.data.partner_id };
  if (state.status === 'unissued') return state;
  switch (event.type) {
    case 'ApiKeyLinked':
      return { ...state, partner_id: event.data.partner_id };
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
