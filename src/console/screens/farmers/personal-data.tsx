import { type ComponentChildren, type VNode } from 'preact';
import { type FarmerRecordView } from '../../../contexts/farmers/recording/farmer-responses.dto.js';
import { type FieldClass, fieldsOf, type Kind, SECTION_CLASSES } from '../../../contexts/farmers/public.js';
import { type Section, SECTIONS } from '../../../kernel/section-names.js';
import { nameOfPath, nameOfTerm } from '../../names.js';
import { type Column, Table } from '../../components/table.js';
import { Count, Money, Time } from '../../components/text.js';

type Values = Readonly<Record<string, unknown>>;

/** A farmer's record as the admin interface returns it. It lacks the sections that were never recorded. */
export type RecordWithSections = FarmerRecordView & { readonly [S in Section]?: Values };

interface Row {
  readonly label: string;
  readonly kind: Kind;
  readonly value: unknown;
  readonly currency: string;
}

const NUMERIC: readonly Kind['is'][] = ['amount', 'count', 'score', 'id', 'size', 'quantity', 'degrees', 'vegetation-index'];
const AMOUNT = new Intl.NumberFormat('en-NG', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** Key of a row's name, which no field has. */
const ROW = ' row';
const FLAG: Kind = { is: 'flag' };

/** Every section of a farmer's record, with the recorded fields in the order of their class. */
export function PersonalData({ record }: { readonly record: RecordWithSections }): VNode {
  const { phone_verified, profile_tier, profile_completeness } = record;
  const general: readonly Row[] = [
    { label: 'Phone verified', kind: FLAG, value: phone_verified, currency: 'NGN' },
    { label: 'Profile tier', kind: { is: 'texts' }, value: [profile_tier], currency: 'NGN' },
    { label: 'Profile completeness (percent)', kind: { is: 'score' }, value: profile_completeness, currency: 'NGN' },
  ];
  return (
    <>
      <h3>General</h3>
      <Rows label="General" rows={general} />
      {SECTIONS.map((section) => {
        const values = record[section];
        return values === undefined ? null : <SectionPart name={section} values={values} />;
      })}
    </>
  );
}

function SectionPart({ name, values }: { readonly name: Section; readonly values: Values }): VNode {
  const { data_as_of: asOf, ...content } = values;
  const label = nameOfTerm(name);
  const rows = rowsOf(SECTION_CLASSES[name], content);
  const lists = listsOf(SECTION_CLASSES[name], content);
  return (
    <>
      <h3>
        {label}{' '}
        {typeof asOf === 'string' ? (
          <small>
            as of <Moment text={asOf} />
          </small>
        ) : null}
      </h3>
      {rows.length === 0 ? null : <Rows label={label} rows={rows} />}
      {lists.map((list) => (
        <>
          <h4>{list.label}</h4>
          <Table label={list.label} columns={list.columns} rows={list.items} empty="None." />
        </>
      ))}
      {rows.length === 0 && lists.length === 0 ? <p class="soft">Nothing is recorded.</p> : null}
    </>
  );
}

/** Returns the values that were recorded, those of nested objects with the path as their name, without what {@link listsOf} returns. */
function rowsOf(type: FieldClass, values: Values, path: readonly string[] = [], outerCurrency = 'NGN'): readonly Row[] {
  const currency = currencyOf(values, outerCurrency);
  return fieldsOf(type).flatMap(({ name, kind }): readonly Row[] => {
    const value = values[name];
    if (value === undefined || value === null || kind.is === 'list' || rowClassOf(kind)) return [];
    if (kind.is === 'object') return rowsOf(kind.of, value as Values, [...path, name], currency);
    return [{ label: nameOfPath([...path, name]), kind, value, currency }];
  });
}

interface List {
  readonly label: string;
  readonly columns: readonly Column<Values>[];
  readonly items: readonly Values[];
}

/** Returns the lists that were recorded, and the objects that are tables, such as a turnover by period. */
function listsOf(type: FieldClass, values: Values): readonly List[] {
  const currency = currencyOf(values, 'NGN');
  return fieldsOf(type).flatMap(({ name, kind }): readonly List[] => {
    const value = values[name];
    const label = nameOfPath([name]);
    if (value === undefined || value === null) return [];
    if (kind.is === 'list') return [{ label, columns: columnsOf(kind.of, value as Values[], currency), items: value as Values[] }];
    const rowClass = rowClassOf(kind);
    if (!rowClass) return [];
    const items = Object.entries(value as Readonly<Record<string, Values>>).map(([row, cells]) => ({ ...cells, [ROW]: nameOfPath([row]) }));
    const first: Column<Values> = { head: label, cell: (item) => item[ROW] as string };
    return [{ label, columns: [first, ...columnsOf(rowClass, items, currency)], items }];
  });
}

/** Returns the class of an object's fields if all of them are objects of one class, which then are the rows of a table. */
function rowClassOf(kind: Kind): FieldClass | undefined {
  if (kind.is !== 'object') return undefined;
  const classes = new Set(fieldsOf(kind.of).map((field) => (field.kind.is === 'object' ? field.kind.of : undefined)));
  return classes.size === 1 ? [...classes][0] : undefined;
}

/** Returns the columns of the fields that any of the items has. */
function columnsOf(of: FieldClass, items: readonly Values[], outerCurrency: string): readonly Column<Values>[] {
  return fieldsOf(of)
    .filter(({ name }) => items.some((item) => item[name] !== undefined && item[name] !== null))
    .map(({ name, kind }) => ({
      head: nameOfPath([name]),
      numeric: isNumeric(kind),
      cell: (item) => shown({ kind, value: item[name], currency: currencyOf(item, outerCurrency) }),
    }));
}

function Rows({ label, rows }: { readonly label: string; readonly rows: readonly Row[] }): VNode {
  return (
    <div class="table record" role="region" aria-label={label} tabIndex={0}>
      <table>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row">{row.label}</th>
              <td class={isNumeric(row.kind) ? 'numeric' : undefined}>{shown(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function shown({ kind, value, currency }: Omit<Row, 'label'>): ComponentChildren {
  if (value === undefined || value === null) return <span class="soft">–</span>;
  switch (kind.is) {
    case 'amount':
      return currency === 'NGN' ? (
        <Money amount={Number(value)} />
      ) : (
        <span class="money">{`${currency} ${AMOUNT.format(Number(value))}`}</span>
      );
    case 'count':
      return <Count value={Number(value)} />;
    case 'flag':
      return value === true ? 'yes' : 'no';
    case 'date':
    case 'time':
      return <Moment text={value as string} />;
    case 'texts':
    case 'some-of':
      return (value as readonly string[]).join(', ');
    case 'text':
    case 'currency':
    case 'one-of':
    case 'id':
    case 'score':
    case 'quantity':
    case 'size':
    case 'degrees':
    case 'vegetation-index':
    case 'object':
    case 'list':
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** A date, or a timestamp, which may have any offset. */
function Moment({ text }: { readonly text: string }): VNode {
  return text.includes('T') ? <Time at={new Date(text).toISOString()} /> : <time dateTime={text}>{text}</time>;
}

function isNumeric({ is }: Kind): boolean {
  return NUMERIC.includes(is);
}

function currencyOf({ currency }: Values, otherwise: string): string {
  return typeof currency === 'string' ? currency : otherwise;
}
