import { toKobo, toNaira } from '../../../kernel/money.js';
import { type Section } from '../../../kernel/section-names.js';
import { ABSENT, emptyShape, type Field, type FieldClass, fieldsOf } from './fields.js';
import { type SvcLoan } from './section-items.js';
import { type LookupOnly, type Recorded, SECTION_CLASSES, type SectionOf } from './sections.js';

/** A section in the interface's shape: every field, in its order. */
export type SectionShape = Readonly<Record<string, unknown>>;

/** Lookup-only fields that follow from what is recorded in the same section. */
const computed: { readonly [S in Section]?: (content: Recorded<SectionOf<S>>) => Partial<LookupOnly<SectionOf<S>>> } = {
  outstanding_loans: ({ svc_loans }) => ({ total_outstanding: toNaira(totalOutstandingKobo(svc_loans ?? [])) }),
};

/** A section as partners see it but for what they reported themselves: its whole shape, in the interface's order (2.5). */
export function shapedSection(section: Section, content: object, data_as_of: string): SectionShape {
  const compute = computed[section] as ((content: object) => object) | undefined;
  return { ...whole(SECTION_CLASSES[section], content as SectionShape), ...compute?.(content), data_as_of };
}

/** What the farmer owes on loans of the service's own, in kobo; those in other currencies are shown and not summed. */
export function totalOutstandingKobo(loans: readonly SvcLoan[]): number {
  return loans.reduce((sum, { currency, outstanding }) => sum + (currency === 'NGN' ? toKobo(outstanding) : 0), 0);
}

/** Every field of the class in its order. Where the interface's shape has no null, null means as little as not sent. */
function whole(type: FieldClass, recorded: SectionShape): SectionShape {
  const shape: Record<string, unknown> = { ...emptyOf(type) };
  const fields = fieldsByName(type);
  for (const [name, value] of Object.entries(recorded)) {
    const field = fields.get(name);
    if (value !== null) shape[name] = field ? shown(field, value) : value;
    else shape[name] ??= null;
  }
  return shape;
}

function shown({ kind }: Field, value: unknown): unknown {
  if (kind.is !== 'object' && kind.is !== 'list') return value;
  const shapeOf = kind.shown === 'whole' ? whole : asRecorded;
  if (kind.is === 'list') return (value as readonly SectionShape[]).map((item) => shapeOf(kind.of, item));
  // The validation lets a list pass for an object: it was recorded, and is shown, as it was sent.
  return Array.isArray(value) ? value : shapeOf(kind.of, value as SectionShape);
}

/** The fields as they were sent, followed by those that were not and have something to show. */
function asRecorded(type: FieldClass, recorded: SectionShape): SectionShape {
  const missing = fieldsOf(type).filter(({ name, required, otherwise }) => !required && otherwise !== ABSENT && recorded[name] == null);
  return missing.length === 0 ? recorded : { ...recorded, ...Object.fromEntries(missing.map(({ name, otherwise }) => [name, otherwise])) };
}

const emptyOf = remembered(emptyShape);
const fieldsByName = remembered((type) => new Map(fieldsOf(type).map((field) => [field.name, field])));

/** A class does not change once it is declared, and a rebuild shapes millions of sections. */
function remembered<T>(derive: (type: FieldClass) => T): (type: FieldClass) => T {
  const known = new WeakMap<FieldClass, T>();
  return (type) => {
    const found = known.get(type) ?? derive(type);
    known.set(type, found);
    return found;
  };
}
