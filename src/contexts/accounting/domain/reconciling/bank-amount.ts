import { MAX_KOBO } from '../../../../kernel/money.js';

/** Spaces, no-break spaces, narrow no-break spaces and apostrophes, with which banks group digits. */
const GAPS = /[\s\u00a0\u202f'’]/g;
/** A file that was saved in an encoding without ₦ has a question mark in its place. */
const CURRENCY = String.raw`(?:=N=|NGN|₦|N|\?)`;
const AROUND = new RegExp(`^${CURRENCY}|(?:NGN|₦)$`, 'giu');
const AFTER_SIGN = new RegExp(`^([+-])${CURRENCY}`, 'iu');
/** Zeros beyond two decimals. With one of them, the text would have the three digits of a group. */
const MORE_ZEROS = /([.,]\d{2})0{2,}$/;
/** Groups of three digits, with one kind of separator, and at most two decimals after the other kind. */
const GROUPED = /^(?<whole>[1-9]\d{0,2}(?<group>[.,])\d{3}(?:\k<group>\d{3})*)(?:(?!\k<group>)[.,](?<fraction>\d{0,2}))?$/;
const PLAIN = /^(?<whole>\d{1,16})(?:[.,](?<fraction>\d{0,2}))?$/;

/**
 * Returns the integer kobo of an amount as banks write it: `1,234.56`, `1.234,56`, `1 234,56`, `₦1234.5`, `NGN 1,234`, `(5.00)`, `5.00 DR`;
 * negative for money out. A separator before exactly three digits groups thousands, because an amount has at most two decimals. Returns
 * undefined for other text, and for two signs that contradict each other.
 */
export function bankAmount(text: string): number | undefined {
  const compact = text.replaceAll(GAPS, '').replaceAll('−', '-');
  const [, withoutSide = '', side = ''] = /^(.*?)((?:CR|DR)\.?)?$/i.exec(compact) ?? [];
  const [, inParentheses] = /^\((.+)\)$/.exec(withoutSide) ?? [];
  const bare = (inParentheses ?? withoutSide).replaceAll(AROUND, '').replace(AFTER_SIGN, '$1');
  const [, before = '', digits = '', after = ''] = /^([+-]?)(.*?)(-?)$/.exec(bare.replaceAll(AROUND, '')) ?? [];
  const minuses = [inParentheses !== undefined, before === '-', after === '-'].filter(Boolean).length;
  const plain = digits.replace(MORE_ZEROS, '$1');
  const { whole, fraction = '' } = (GROUPED.exec(plain) ?? PLAIN.exec(plain))?.groups ?? {};
  const isCredit = /^CR/i.test(side);
  if (whole === undefined || minuses > 1 || (isCredit && minuses > 0)) return undefined;
  const kobo = Number(whole.replaceAll(/[.,]/g, '') + fraction.padEnd(2, '0'));
  if (kobo > MAX_KOBO) return undefined;
  return (minuses === 1 || /^DR/i.test(side)) && kobo > 0 ? -kobo : kobo;
}
