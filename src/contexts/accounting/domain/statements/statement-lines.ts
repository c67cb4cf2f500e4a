import { feeOf } from '../../../wallet/domain/fees.js';
import { vatIn } from '../../../../kernel/vat.js';

/** Charges, or charges that were given back, of the same fees and the same rate. */
export interface FeeMovement {
  /** False for refunds and compensations. */
  readonly isCharge: boolean;
  /** Change of the balance by each of them in integer kobo. */
  readonly amount_kobo: number;
  /** Integer kobo by fee key; null for refunds that were recorded without their fees. */
  readonly breakdown_kobo: Readonly<Record<string, number>> | null;
  /** Rate of the VAT that the fees contain, in percent. */
  readonly vat_percent: number;
  readonly count: number;
}

/** The fee that a line is about. A line without both is about refunds that were recorded without their fees, as earlier releases did. */
interface LineFee {
  readonly section: string | null;
  /** The provider of a fee that is passed through. */
  readonly provider: string | null;
}

interface Taxed {
  /** In percent; 0 for what contains no VAT. */
  readonly vat_percent: number;
  readonly net_kobo: number;
  readonly vat_kobo: number;
}

/** A fee at one price and one rate (finance, "Statements and invoices"). Quantity and amounts are below 0 where it was given back. */
export interface StatementLine extends LineFee, Taxed {
  readonly quantity: number;
  /** Integer kobo, with the VAT that it contains. */
  readonly unit_price_kobo: number;
  /** Quantity × price, the net amount and the VAT together. */
  readonly amount_kobo: number;
}

export interface VatTotal extends Taxed {
  readonly gross_kobo: number;
}

/**
 * Returns the lines of charges and of what was given back, in an order that follows from them alone: sections, providers, refunds without
 * fees; by name, price and rate; what was given back behind what was charged. The VAT is that of each fee, as it is posted, times the quantity.
 */
export function statementLines(movements: readonly FeeMovement[]): readonly StatementLine[] {
  const lines = new Map<string, StatementLine>();
  for (const movement of movements)
    for (const line of linesOf(movement)) {
      const key = JSON.stringify([line.section, line.provider, line.unit_price_kobo, line.vat_percent, movement.isCharge]);
      const { quantity = 0, net_kobo = 0, vat_kobo = 0, amount_kobo = 0 } = lines.get(key) ?? {};
      lines.set(key, {
        ...line,
        quantity: quantity + line.quantity,
        net_kobo: net_kobo + line.net_kobo,
        vat_kobo: vat_kobo + line.vat_kobo,
        amount_kobo: amount_kobo + line.amount_kobo,
      });
    }
  return [...lines.values()].toSorted(inOrder);
}

/** Returns the sums of the lines by rate, the lowest rate first. */
export function vatTotals(lines: readonly StatementLine[]): readonly VatTotal[] {
  return [...Map.groupBy(lines, ({ vat_percent }) => vat_percent)]
    .toSorted(([one], [other]) => one - other)
    .map(([vat_percent, of]) => ({
      vat_percent,
      net_kobo: sumOf(of, 'net_kobo'),
      vat_kobo: sumOf(of, 'vat_kobo'),
      gross_kobo: sumOf(of, 'amount_kobo'),
    }));
}

export function sumOf<Field extends string>(lines: readonly { readonly [Name in Field]: number }[], field: Field): number {
  return lines.reduce((sum, line) => sum + line[field], 0);
}

function linesOf({ isCharge, amount_kobo, breakdown_kobo, vat_percent, count }: FeeMovement): readonly StatementLine[] {
  const quantity = isCharge ? count : -count;
  if (breakdown_kobo === null) return [lineOf({ section: null, provider: null }, Math.abs(amount_kobo), quantity, 0)];
  return Object.entries(breakdown_kobo).map(([key, fee_kobo]) => {
    const fee = feeOf(key);
    return fee.kind === 'section'
      ? lineOf({ section: fee.section, provider: null }, fee_kobo, quantity, vat_percent)
      : lineOf({ section: null, provider: fee.provider }, fee_kobo, quantity, 0);
  });
}

function lineOf(of: LineFee, unit_price_kobo: number, quantity: number, vat_percent: number): StatementLine {
  const [amount_kobo, vat_kobo] = [times(unit_price_kobo, quantity), times(vatIn(unit_price_kobo, vat_percent), quantity)];
  return { ...of, quantity, unit_price_kobo, vat_percent, net_kobo: amount_kobo - vat_kobo, vat_kobo, amount_kobo };
}

/** Returns the product, without the negative zero of a price of 0 that was given back. */
function times(kobo: number, quantity: number): number {
  return kobo === 0 ? 0 : kobo * quantity;
}

function inOrder(one: StatementLine, other: StatementLine): number {
  return (
    place(one) - place(other) ||
    compared(one.section ?? one.provider ?? '', other.section ?? other.provider ?? '') ||
    one.unit_price_kobo - other.unit_price_kobo ||
    one.vat_percent - other.vat_percent ||
    other.quantity - one.quantity
  );
}

function place({ section, provider }: LineFee): number {
  if (section !== null) return 0;
  return provider === null ? 2 : 1;
}

/** Compares by code units, because the order of a language may change with the version of Node. */
function compared(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
