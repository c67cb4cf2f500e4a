import { type AccountType, type Mode } from '../../../kernel/accounts.js';
import { MANDATORY_FOR, type Section, SECTIONS } from '../../../kernel/section-names.js';
import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type PartnerDetails, type PartnerEvent } from './events.js';
import { type LegalPatch, NO_LEGAL_DETAILS, patchedLegal, sameLegal } from './legal-details.js';

/** Callers match on these codes, so they must not change. */
export type PartnerRejectionCode = 'partner_unknown';
export class PartnerRejection extends Rejection<PartnerRejectionCode> {}

interface CommandContext {
  readonly partner_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type PartnerCommand = CommandContext &
  (
    | { readonly kind: 'register'; readonly company_name: string; readonly account_type: AccountType; readonly mode: Mode }
    | { readonly kind: 'activate' }
    | { readonly kind: 'deactivate' }
    | { readonly kind: 'change-optional-sections'; readonly sections: readonly Section[] }
    | { readonly kind: 'change-ip-allow-list'; readonly cidrs: readonly string[] }
    | { readonly kind: 'change-low-balance-threshold'; readonly threshold_kobo: number | null }
    | { readonly kind: 'change-details'; readonly company_name?: string | undefined; readonly legal?: LegalPatch | null | undefined }
    | { readonly kind: 'reset-sandbox'; readonly rupa_ids: readonly string[] }
  );

export type PartnerState =
  | { readonly status: 'unregistered' }
  | (PartnerDetails & {
      readonly status: 'pending' | 'active';
      readonly sections: readonly Section[];
      readonly cidrs: readonly string[];
      readonly threshold_kobo: number | null;
      /** How often the account was reset. */
      readonly test_run: number;
    });

function decide(command: PartnerCommand, state: PartnerState): PartnerEvent[] {
  const data = { partner_id: command.partner_id, recorded_at: command.at, actor: command.actor };
  if (command.kind === 'register') {
    if (state.status !== 'unregistered') return [];
    const { company_name, account_type, mode } = command;
    return [{ type: 'PartnerRegistered', data: { ...data, company_name, account_type, mode } }];
  }
  if (state.status === 'unregistered') throw new PartnerRejection('partner_unknown');
  switch (command.kind) {
    case 'activate':
      return state.status === 'active' ? [] : [{ type: 'PartnerActivated', data }];
    case 'deactivate':
      return state.status === 'pending' ? [] : [{ type: 'PartnerDeactivated', data }];
    case 'change-optional-sections':
      return sameList(state.sections, command.sections)
        ? []
        : [{ type: 'OptionalSectionsChanged', data: { ...data, sections: command.sections } }];
    case 'change-ip-allow-list':
      return sameList(state.cidrs, command.cidrs) ? [] : [{ type: 'IpAllowListChanged', data: { ...data, cidrs: command.cidrs } }];
    case 'change-low-balance-threshold': {
      const { threshold_kobo } = command;
      return state.threshold_kobo === threshold_kobo ? [] : [{ type: 'LowBalanceThresholdChanged', data: { ...data, threshold_kobo } }];
    }
    case 'change-details': {
      const company_name = command.company_name ?? state.company_name;
      const legal = patchedLegal(state.legal, command.legal);
      const isSame = company_name === state.company_name && sameLegal(legal, state.legal);
      return isSame ? [] : [{ type: 'PartnerDetailsChanged', data: { ...data, company_name, legal } }];
    }
    case 'reset-sandbox':
      return [{ type: 'SandboxReset', data: { ...data, test_run: state.test_run + 1, rupa_ids: command.rupa_ids } }];
  }
}

function evolve(state: PartnerState, event: PartnerEvent): PartnerState {
  if (event.type === 'PartnerRegistered') {
    const { company_name } = event.data;
    return { status: 'pending', company_name, legal: NO_LEGAL_DETAILS, sections: [], cidrs: [], threshold_kobo: null, test_run: 0 };
  }
  if (state.status === 'unregistered') return state;
  switch (event.type) {
    case 'PartnerActivated':
      return { ...state, status: 'active' };
    case 'PartnerDeactivated':
      return { ...state, status: 'pending' };
    case 'OptionalSectionsChanged':
      return { ...state, sections: event.data.sections };
    case 'IpAllowListChanged':
      return { ...state, cidrs: event.data.cidrs };
    case 'LowBalanceThresholdChanged':
      return { ...state, threshold_kobo: event.data.threshold_kobo };
    case 'PartnerDetailsChanged':
      return { ...state, company_name: event.data.company_name, legal: event.data.legal };
    case 'SandboxReset':
      return { ...state, test_run: event.data.test_run };
  }
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

export const partnerDecider: Decider<PartnerState, PartnerCommand, PartnerEvent> = {
  initialState: { status: 'unregistered' },
  decide,
  evolve,
};

/** One stream per partner. */
export const PARTNER_STREAMS: StreamKind<PartnerState, PartnerCommand, PartnerEvent> = {
  ...SHORT_STREAM,
  category: 'partner',
  decider: partnerDecider,
};

/** Sections that every partner of an account type may read (interface, section 5, rule 7; decisions, "Sections"). */
export const MANDATORY_SECTIONS: Readonly<Record<AccountType, readonly Section[]>> = {
  bank: mandatoryFor('bank'),
  insurer: mandatoryFor('insurer'),
  agtech: mandatoryFor('agtech'),
};

function mandatoryFor(type: AccountType): readonly Section[] {
  return SECTIONS.filter((section) => (MANDATORY_FOR[section] as readonly AccountType[]).includes(type));
}
