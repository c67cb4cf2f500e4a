import { type ComponentChildren, createContext, type InputHTMLAttributes, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { encodeAsk } from '../acts/form-keys.js';
import { Form } from '../form.js';
import { type Visit } from '../screen.js';
import { Term } from './term.js';

/** Id of a form that has what was typed into it before. */
export const FILLED_IN = 'filled-in';

/** The form that a field is in. */
const Around = createContext<{
  /** What was typed into the form before; each field shows its own. */
  readonly typed?: Form | undefined;
  /** Tells the ids of its fields from those of the page's other forms. */
  readonly id: string;
}>({ id: '' });

interface ActFormProps {
  readonly visit: Visit;
  /** Absolute path of the act. */
  readonly action: string;
  /** Text of the button. */
  readonly label: string;
  /** What the act is about, such as "key production", where a page has several buttons with this label. Only screen readers say it. */
  readonly of?: string;
  /** What follows from the act, in a sentence. A page of its own asks the person to confirm it. */
  readonly asks?: string;
  /** For an act that cannot be reversed: the person types this word into the form, instead of confirming it on a page. */
  readonly word?: string;
  /** Fields on one line with the button. */
  readonly inline?: boolean;
  /** A form that only reads or starts a check, which auditors may, too. */
  readonly changesNothing?: boolean;
  readonly children?: ComponentChildren;
}

/**
 * A form that does something: once, however often it is submitted (src/console/acts). Auditors do not see one that changes anything, and the
 * admin interface would refuse what they submit.
 */
export function ActForm({ visit, action, label, of, asks, word, inline, changesNothing, children }: ActFormProps): VNode | null {
  const { person, url } = visit;
  if (person.role !== 'admin' && !changesNothing) return null;
  const named = of === undefined ? label : `${label} ${of}`;
  const ask = asks === undefined ? undefined : { label: named, question: asks, ...(word === undefined ? {} : { word }) };
  const typed = visit.typed?.action === action ? new Form(visit.typed.fields) : undefined;
  return (
    <form method="post" action={action} id={typed && FILLED_IN} class={inline ? 'act inline' : 'act'}>
      <ServiceFields csrf={person.csrf} from={url} formKey={visit.formKey(action, encodeAsk(ask))} asks={encodeAsk(ask)} />
      <Around.Provider value={{ typed, id: action.replaceAll(/\W+/g, '-') }}>
        {children}
        {word === undefined ? null : <Field label={`Type ${word} to confirm`} name="_typed" required hint={asks ?? ''} />}
      </Around.Provider>
      <button class={word !== undefined ? 'dangerous' : asks !== undefined ? 'asks' : undefined}>
        {label}
        {of === undefined ? null : <span class="unseen"> {of}</span>}
      </button>
    </form>
  );
}

interface ServiceFieldsProps {
  readonly csrf: string;
  readonly from: string;
  readonly formKey: string;
  readonly asks: string;
}

/** What the service itself puts into a form. A browser that restored an earlier page's values would put its key into another form. */
export function ServiceFields({ csrf, from, formKey, asks }: ServiceFieldsProps): VNode {
  const fields = [['_csrf', csrf] as const, ['_from', from] as const, ['_key', formKey] as const, ['_ask', asks] as const];
  return <>{fields.map(([name, value]) => (value === '' ? null : <input type="hidden" name={name} value={value} autocomplete="off" />))}</>;
}

/** A value that the page remembers of the moment when it was opened, also when it has what was typed before. */
export function Remembered({ name, value }: { readonly name: string; readonly value: string }): VNode {
  return <input type="hidden" name={name} value={useTyped(name, value)} autocomplete="off" />;
}

/** Returns the value that a field of the form around it shows: what was typed before, if anything was. */
export function useTyped(name: string, value: string | undefined): string | undefined {
  return useContext(Around).typed?.sent(name) ?? value;
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'date' | 'month' | 'datetime-local' | 'password';
  readonly value?: string | undefined;
  readonly required?: boolean;
  /** A sentence below the field: its form, its unit or its default. */
  readonly hint?: string;
  readonly placeholder?: string;
  readonly pattern?: string;
  readonly rows?: number;
}

/** A field with its label. With `rows` it takes several lines. */
export function Field({ label, name, type = 'text', value, required, hint, placeholder, pattern, rows }: FieldProps): VNode {
  const { id } = useContext(Around);
  const typed = useTyped(name, value);
  const shown = type === 'password' ? value : typed;
  const common = {
    name,
    autocomplete: 'off' as const,
    ...(required ? { required } : {}),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(shown === undefined ? {} : { value: shown }),
  };
  // A label that contained the hint would be read out with it as the field's name.
  const described = hint === undefined ? {} : { 'aria-describedby': `hint${id}-${name}-${label.replaceAll(/\W+/g, '-')}` };
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        {rows === undefined ? (
          <input {...({ ...common, ...described, type } as InputHTMLAttributes)} />
        ) : (
          <textarea {...common} {...described} rows={rows} />
        )}
      </label>
      {hint === undefined ? null : <small id={described['aria-describedby']}>{hint}</small>}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A list of which one value is chosen. */
export function Choice({ label, name, value, options }: ChoiceProps): VNode {
  const shown = useTyped(name, value);
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name}>
        {options.map(([each, text]) => (
          <option value={each} selected={each === shown}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChecksProps {
  /** Says what the boxes have in common. */
  readonly legend: string;
  readonly name: string;
  /** Terms of the interface, each shown with its name for people. */
  readonly values: readonly string[];
  readonly checked: readonly string[];
}

/** Boxes of which any number is checked. */
export function Checks({ legend, name, values, checked }: ChecksProps): VNode {
  const shown = useContext(Around).typed?.all(name) ?? checked;
  return (
    <fieldset class="checks">
      <legend class="soft">{legend}</legend>
      {values.map((value) => (
        <label>
          <input type="checkbox" name={name} value={value} checked={shown.includes(value)} /> <Term>{value}</Term>
        </label>
      ))}
    </fieldset>
  );
}

/** Filters of a list, which become the query string of its page. */
export function Filters({ action, children }: { readonly action: string; readonly children: ComponentChildren }): VNode {
  return (
    <form method="get" action={action} class="filters" role="search">
      {children}
      <button>Show</button>
    </form>
  );
}
