import { type AccountType } from '../../../kernel/account-types.js';
import { MANDATORY_FOR, type Section, SECTIONS } from '../../../kernel/section-names.js';

/** Sections that every partner of an account type may read (interface, section 5, rule 7; decisions, "Sections"). */
export const MANDATORY_SECTIONS: Readonly<Record<AccountType, readonly Section[]>> = {
  bank: mandatoryFor('bank'),
  insurer: mandatoryFor('insurer'),
  agtech: mandatoryFor('agtech'),
};

function mandatoryFor(type: AccountType): readonly Section[] {
  return SECTIONS.filter((section) => (MANDATORY_FOR[section] as readonly AccountType[]).includes(type));
}
