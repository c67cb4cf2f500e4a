import { DEFAULT_PERIOD, PERIOD_NAMES, type Period } from '../../../contexts/figures/domain/figures.js';

/** How pages name the periods and their steps. */
export const PERIOD_CHOICES: Readonly<Record<Period, { readonly name: string; readonly step: string }>> = {
  hour: { name: '60 minutes', step: 'each minute' },
  day: { name: '24 hours', step: 'each ten minutes' },
  month: { name: '30 days', step: 'each six hours' },
};

/** Returns the period that an address names; the default one for any other text. */
export function periodIn({ period }: Readonly<Record<string, string>>): Period {
  return PERIOD_NAMES.find((each) => each === period) ?? DEFAULT_PERIOD;
}
