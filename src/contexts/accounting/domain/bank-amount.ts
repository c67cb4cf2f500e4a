import { MAX_KOBO } from '../../../kernel/money.js';

/** Spaces, no-break spaces, narrow no-break spaces and apostrophes, with which banks group digits. */
const GAPS = /[\s\u00a0\u202f'’]/g;
const CURRENCY = /^(?:NGN|₦|N)|(?:NGN|₦)$/giu;
/** Groups of three digits, with one kind of separator, and at most two decimals after the other kind. */
const GROUPED = /^(?<whole>[1-9]\d{0,2}(?<group>[.,])\d{3}(?:\k<group>\d{3})*)(?:(?!\k<group>)[.,](?<fraction>\d{0,2}))?$/;
const PLAIN = /^(?<whole>\d{1,16})(?:[.,](?<fraction>\d{0,2}))?$/;

/**
 * Returns the integer kobo of an amount as banks write it: `1,234.56`, `1.234,56`, `1 234,56`, `₦1234.5`, `NGN 1,234`, `(5.00)`, `5.00 DR`.
 * A separator before exactly three digits groups thousands, because an amount has at most two decimals. Returns undefined for other text.
 */
export function bankAmount(text: string): number | undefined {
  const compact = text.replaceAll(GAPS, '').replaceAll('−', '-');
  const [, inParentheses] = /^\((.+)\)$/.exec(compact) ?? [];
  const [, unsigned = '', side] = /^(.*?)(CR|DR)?$/i.exec(inParentheses ?? compact) ?? [];
  const bare = unsigned.replaceAll(CURRENCY, '').replace(/^(-)?(?:NGN|₦|N)/iu, '$1');
  const [, before = '', digits = '', after = ''] = /^([+-]?)(.*?)(-?)$/.exec(bare) ?? [];
  const signs = [inParentheses !== undefined, before === '-', after === '-', side?.toUpperCase() === 'DR'].filter(Boolean).length;
  const { whole, fraction = '' } = (GROUPED.exec(digits) ?? PLAIN.exec(digits))?.groups ?? {};
  if (whole === undefined || signs > 1) return undefined;
  const kobo = Number(whole.replaceAll(/[.,]/g, '') + fraction.padEnd(2, '0'));
  if (kobo > MAX_KOBO) return undefined;
  return signs === 1 && kobo > 0 ? -kobo : kobo;
}
