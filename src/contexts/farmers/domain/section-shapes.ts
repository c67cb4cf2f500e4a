import { toKobo, toNaira } from '../../../kernel/money.js';
import { type Section } from '../../../kernel/section-names.js';
import { ABSENT, emptyShape, type Field, type FieldClass, fieldsOf } from './fields.js';
import { type SvcLoan } from './section-items.js';
import { type LookupOnly, type Recorded, SECTION_CLASSES, type SectionOf } from './sections.js';

/** A section in the interface's shape: every field, in its order. */
export type SectionShape = Readonly<Record<string, unknown>>;

/** Computes the lookup-only fields that depend only on the recorded content of the same section. */
const computed: { readonly [S in Section]?: (content: Recorded<SectionOf<S>>) => Partial<LookupOnly<SectionOf<S>>> } = {
  outstanding_loans: ({ svc_loans }) => ({ total_outstanding: toNaira(totalOutstandingKobo(svc_loans ?? [])) }),
};

/** Returns a section as partners see it, without the items from partners' reports: every field in order (interface, section 2.5). */
export function shapedSection(section: Section, content: object, data_as_of: string): SectionShape {
  const compute = computed[section] as ((content: object) => object) | undefined;
  return { ...completeShape(SECTION_CLASSES[section], content as SectionShape), ...compute?.(content), data_as_of };
}

/** Returns the sum that is outstanding on the service's own loans, in kobo. Loans in other currencies are not included. */
export function totalOutstandingKobo(loans: readonly SvcLoan[]): number {
  return loans.reduce((sum, { currency, outstanding }) => sum + (currency === 'NGN' ? toKobo(outstanding) : 0), 0);
}

/** Returns every field of the class in order. Null counts as not sent if the interface does not allow null. */
function completeShape(type: FieldClass, recorded: SectionShape): SectionShape {
  const shape: Record<string, unknown> = { ...emptyOf(type) };
  const fields = fieldsByName(type);
  for (const [name, value] of Object.entries(recorded)) {
    const field = fields.get(name);
    if (value !== null) shape[name] = field ? shapeValue(field, value) : value;
    else shape[name] ??= null;
  }
  return shape;
}

function shapeValue({ kind }: Field, value: unknown): unknown {
  if (kind.is !== 'object' && kind.is !== 'list') return value;
  const shapeOf = kind.shown === 'whole' ? completeShape : asRecorded;
  if (kind.is === 'list') return (value as readonly SectionShape[]).map((item) => shapeOf(kind.of, item));
  // Validation accepts a list in place of an object, so a list may have been recorded. It is shown as it was sent.
  return Array.isArray(value) ? value : shapeOf(kind.of, value as SectionShape);
}

/** Returns the fields as they were sent, followed by the fallbacks of fields that were not sent. */
function asRecorded(type: FieldClass, recorded: SectionShape): SectionShape {
  const missing = fieldsOf(type).filter(({ name, required, fallback }) => !required && fallback !== ABSENT && recorded[name] == null);
  return missing.length === 0 ? recorded : { ...recorded, ...Object.fromEntries(missing.map(({ name, fallback }) => [name, fallback])) };
}

const emptyOf = memoized(emptyShape);
const fieldsByName = memoized((type) => new Map(fieldsOf(type).map((field) => [field.name, field])));

/** Memoizes a function of a class: a class does not change after its declaration, and a rebuild shapes millions of sections. */
function memoized<T>(derive: (type: FieldClass) => T): (type: FieldClass) => T {
  const known = new WeakMap<FieldClass, T>();
  return (type) => {
    const found = known.get(type) ?? derive(type);
    known.set(type, found);
    return found;
  };
}
