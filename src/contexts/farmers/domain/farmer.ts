import { canonicalize } from 'json-canonicalize';
import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { type FarmerEvent, type RecordPart } from './events.js';
import { type FarmerRecord } from './farmer-record.js';
import { type CreditHistory } from './sections.js';
import { assertInBounds, nullable, oneOf, outOfBounds, refuse, rupaId } from '../../../kernel/bounds.js';
import { MODES } from '../../../kernel/modes.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { recordErrors } from './record-bounds.js';
import { FarmerRejection } from './rejections.js';

const RECORD_PARTS: readonly RecordPart[] = ['phone_verified', ...SECTIONS];

export interface PutFarmer {
  readonly kind: 'put';
  readonly rupa_id: string;
  /** Fixed at registration. Undefined keeps the registered mode, and registers a new farmer as live. */
  readonly mode: 'live' | 'sandbox' | undefined;
  /** A part that is missing stays unchanged. */
  readonly record: Partial<FarmerRecord>;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export interface EraseFarmer {
  readonly kind: 'erase';
  readonly rupa_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type FarmerCommand = PutFarmer | EraseFarmer;

/** Each part as it was last recorded. `data_as_of` is the date or time that the content is from, in ISO 8601. */
export type RecordParts = { readonly [Part in RecordPart]?: { readonly content: unknown; readonly data_as_of: string } };

export type FarmerState =
  | { readonly status: 'unregistered' }
  | { readonly status: 'registered'; readonly mode: 'live' | 'sandbox'; readonly parts: RecordParts }
  | { readonly status: 'erased' };

function decide(command: FarmerCommand, state: FarmerState): readonly FarmerEvent[] {
  assertInBounds(command, { rupa_id: rupaId });
  switch (command.kind) {
    case 'put':
      return put(command, state);
    case 'erase':
      return erase(command, state);
  }
}

/** An erasure is final and idempotent. An id that was never registered cannot be erased. */
function erase({ rupa_id, at, actor }: EraseFarmer, { status }: FarmerState): readonly FarmerEvent[] {
  if (status === 'unregistered') throw new FarmerRejection('farmer_unknown');
  return status === 'erased' ? [] : [{ type: 'FarmerErased', data: { rupa_id, recorded_at: at, actor } }];
}

function put(command: PutFarmer, state: FarmerState): readonly FarmerEvent[] {
  refuse({ ...outOfBounds(command, { mode: nullable(oneOf(MODES)) }), ...recordErrors(command.record) });
  if (state.status === 'erased') throw new FarmerRejection('farmer_erased');
  const recorded = { rupa_id: command.rupa_id, recorded_at: command.at, actor: command.actor };
  if (state.status === 'unregistered') {
    return [{ type: 'FarmerRegistered', data: { ...recorded, mode: command.mode ?? 'live' } }, ...updates(command, {})];
  }
  if (command.mode !== undefined && command.mode !== state.mode) throw new FarmerRejection('farmer_mode_fixed', { mode: state.mode });
  const updated = updates(command, state.parts);
  const { credit_history } = command.record;
  if (!credit_history || (credit_history.credit_score ?? null) === scoreOf(state.parts)) return updated;
  return [...updated, { type: 'CreditScoreChanged', data: { ...recorded, credit_score: credit_history.credit_score ?? null } }];
}

function updates({ rupa_id, record, at, actor }: PutFarmer, known: RecordParts): readonly FarmerEvent[] {
  return RECORD_PARTS.flatMap((part) => {
    const content = record[part];
    if (content === undefined || canonicalize(known[part]?.content) === canonicalize(content)) return [];
    const data_as_of = (content as { data_as_of?: string | null }).data_as_of ?? at;
    return [{ type: 'FarmerSectionUpdated' as const, data: { rupa_id, recorded_at: at, actor, part, data_as_of, content } }];
  });
}

function scoreOf({ credit_history }: RecordParts): number | null {
  return (credit_history?.content as CreditHistory | null | undefined)?.credit_score ?? null;
}

/** Returns the record of a registered farmer, each section with its `data_as_of`. Sections without content are left out. */
export function recordFrom(parts: RecordParts): FarmerRecord {
  const sections = SECTIONS.flatMap((section) => {
    const { content, data_as_of } = parts[section] ?? {};
    return content ? [[section, { ...content, data_as_of }] as const] : [];
  });
  return { phone_verified: parts.phone_verified?.content === true, ...Object.fromEntries(sections) };
}

function evolve(state: FarmerState, event: FarmerEvent): FarmerState {
  switch (event.type) {
    case 'FarmerRegistered':
      return { status: 'registered', mode: event.data.mode, parts: {} };
    case 'FarmerSectionUpdated':
      return state.status === 'registered'
        ? { ...state, parts: { ...state.parts, [event.data.part]: { content: event.data.content, data_as_of: event.data.data_as_of } } }
        : state;
    case 'CreditScoreChanged':
      return state;
    case 'FarmerErased':
      return { status: 'erased' };
  }
}

export const farmerDecider: Decider<FarmerState, FarmerCommand, FarmerEvent> = { initialState: { status: 'unregistered' }, decide, evolve };
