import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { canonicalize } from 'json-canonicalize';
import { type FarmerEvent, type RecordPart, type RecordParts } from './events.js';
import { type CreditHistory, type FarmerRecord } from './sections.js';
import { sentenceOf, ValidationFailed } from '../../../kernel/validation-failed.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { type TestFarmer } from './test-farmers/definitions.js';
import { isReservedForTests } from './test-farmers/test-farmer.js';

/** Callers match on these codes, so they must not change. */
export type FarmerRejectionCode = 'farmer_unknown' | 'farmer_erased' | 'farmer_mode_fixed' | 'test_farmer';
export class FarmerRejection extends Rejection<FarmerRejectionCode> {}

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

interface EraseFarmer {
  readonly kind: 'erase';
  readonly rupa_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

/** Registers a test farmer of the sandbox, or replaces what newer definitions state differently. */
interface DefineTestFarmer {
  readonly kind: 'define-test-farmer';
  readonly rupa_id: string;
  readonly version: number;
  readonly definition: Omit<TestFarmer, 'rupa_id' | 'description'>;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

type SentRecord = Pick<PutFarmer, 'rupa_id' | 'record' | 'at' | 'actor'>;

export type FarmerCommand = PutFarmer | EraseFarmer | DefineTestFarmer;

export type FarmerState =
  | { readonly status: 'unregistered' }
  | {
      readonly status: 'registered';
      readonly mode: 'live' | 'sandbox';
      readonly parts: RecordParts;
      /** Version of a test farmer's definition; undefined for any other farmer. */
      readonly testVersion?: number;
    }
  | { readonly status: 'erased'; readonly testVersion?: number };

function decide(command: FarmerCommand, state: FarmerState): readonly FarmerEvent[] {
  switch (command.kind) {
    case 'put':
      return put(command, state);
    case 'erase':
      return erase(command, state);
    case 'define-test-farmer':
      return defineTestFarmer(command, state);
  }
}

/** An erasure is final and idempotent. An id that was never registered cannot be erased. */
function erase({ rupa_id, at, actor }: EraseFarmer, state: FarmerState): readonly FarmerEvent[] {
  if (state.status === 'unregistered') throw new FarmerRejection('farmer_unknown');
  if (state.testVersion !== undefined) throw new FarmerRejection(state.status === 'erased' ? 'farmer_erased' : 'test_farmer');
  return state.status === 'erased' ? [] : [{ type: 'FarmerErased', data: { rupa_id, recorded_at: at, actor } }];
}

function put(command: PutFarmer, state: FarmerState): readonly FarmerEvent[] {
  refuseFutureBirth(command);
  if (state.status === 'erased') throw new FarmerRejection('farmer_erased');
  const recorded = { rupa_id: command.rupa_id, recorded_at: command.at, actor: command.actor };
  if (state.status === 'unregistered') {
    if (isReservedForTests(command.rupa_id)) throw new FarmerRejection('test_farmer');
    return [registration(command, command.mode ?? 'live')];
  }
  if (state.testVersion !== undefined) throw new FarmerRejection('test_farmer');
  if (command.mode !== undefined && command.mode !== state.mode) throw new FarmerRejection('farmer_mode_fixed', { mode: state.mode });
  const updated = updates(command, state.parts);
  const { credit_history } = command.record;
  if (!credit_history || (credit_history.credit_score ?? null) === scoreOf(state.parts)) return updated;
  return [...updated, { type: 'CreditScoreChanged', data: { ...recorded, credit_score: credit_history.credit_score ?? null } }];
}

/** A day has begun somewhere on Earth so many milliseconds before it begins in UTC. */
const FIRST_TIME_ZONE_MS = 14 * 3_600_000;

/** @throws ValidationFailed */
function refuseFutureBirth({ record, at }: PutFarmer): void {
  const born = Date.parse(record.identity?.date_of_birth ?? '');
  const field = 'identity.date_of_birth';
  if (born > Date.parse(at) + FIRST_TIME_ZONE_MS) throw new ValidationFailed({ [field]: [sentenceOf(field, 'must not be in the future')] });
}

/**
 * An ordinary farmer that was registered with the id before ids were reserved stays what it is. Changed definitions notify nobody, so that
 * an upgrade of the service sends no notifications.
 */
function defineTestFarmer(command: DefineTestFarmer, state: FarmerState): readonly FarmerEvent[] {
  const { rupa_id, at, actor, version } = command;
  const { record, erased, lookups, reports } = command.definition;
  if (state.status !== 'unregistered' && (state.testVersion === undefined || state.testVersion >= version)) return [];
  const data = { rupa_id, recorded_at: at, actor };
  return [
    ...(state.status === 'unregistered' ? [registration({ rupa_id, record, at, actor }, 'sandbox')] : []),
    { type: 'TestFarmerDefined', data: { ...data, version, lookups, reports } },
    ...(state.status === 'registered' ? updates({ rupa_id, record, at, actor }, state.parts) : []),
    ...(erased && state.status !== 'erased' ? [{ type: 'FarmerErased' as const, data }] : []),
  ];
}

/** One event holds all that is known from the start: most farmers come from an import (docs/adr/0026). */
function registration(command: SentRecord, mode: 'live' | 'sandbox'): FarmerEvent {
  const { rupa_id, at, actor } = command;
  return { type: 'FarmerRegistered', data: { rupa_id, recorded_at: at, actor, mode, parts: Object.fromEntries(sentParts(command)) } };
}

function updates(command: SentRecord, known: RecordParts): readonly FarmerEvent[] {
  const { rupa_id, at, actor } = command;
  return sentParts(command).flatMap(([part, { content, data_as_of }]) => {
    const before = known[part];
    if (before && canonicalize(before.content) === canonicalize(content)) return [];
    return [{ type: 'FarmerSectionUpdated' as const, data: { rupa_id, recorded_at: at, actor, part, data_as_of, content } }];
  });
}

function sentParts({ record, at }: SentRecord): readonly (readonly [RecordPart, { content: unknown; data_as_of: string }])[] {
  return RECORD_PARTS.flatMap((part) => {
    const content = record[part];
    if (content === undefined) return [];
    return [[part, { content, data_as_of: (content as { data_as_of?: string | null }).data_as_of ?? at }] as const];
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
      return { status: 'registered', mode: event.data.mode, parts: event.data.parts ?? {} };
    case 'FarmerSectionUpdated':
      return state.status === 'registered'
        ? { ...state, parts: { ...state.parts, [event.data.part]: { content: event.data.content, data_as_of: event.data.data_as_of } } }
        : state;
    case 'CreditScoreChanged':
      return state;
    case 'TestFarmerDefined':
      return state.status === 'unregistered' ? state : { ...state, testVersion: event.data.version };
    case 'FarmerErased':
      return state.status === 'registered' && state.testVersion !== undefined
        ? { status: 'erased', testVersion: state.testVersion }
        : { status: 'erased' };
  }
}

export const farmerDecider: Decider<FarmerState, FarmerCommand, FarmerEvent> = { initialState: { status: 'unregistered' }, decide, evolve };

/** One stream per farmer. */
export const FARMER_STREAMS: StreamKind<FarmerState, FarmerCommand, FarmerEvent> = {
  ...SHORT_STREAM,
  category: 'farmer',
  decider: farmerDecider,
};
