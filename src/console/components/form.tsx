import { type ComponentChildren, type InputHTMLAttributes, type VNode } from 'preact';
import { type Visit } from '../screen.js';

interface ActFormProps {
  readonly visit: Visit;
  /** Absolute path of the act. */
  readonly action: string;
  /** Text of the button. */
  readonly label: string;
  /** An act that is hard to reverse has a red button, which works from when the page's script can ask. */
  readonly dangerous?: boolean;
  /** Fields on one line with the button. */
  readonly inline?: boolean;
  /** A form that only starts a check, which auditors may, too. */
  readonly changesNothing?: boolean;
  readonly children?: ComponentChildren;
}

/** A form that does something. Auditors do not see one that changes anything, and the admin interface would refuse what they submit. */
export function ActForm({ visit, action, label, dangerous, inline, changesNothing, children }: ActFormProps): VNode | null {
  const { person, url } = visit;
  if (person.role !== 'admin' && !changesNothing) return null;
  return (
    <form method="post" action={action} class={inline ? 'act inline' : 'act'}>
      <input type="hidden" name="_csrf" value={person.csrf} />
      <input type="hidden" name="_from" value={url} />
      {children}
      {dangerous ? (
        <button class="dangerous" disabled data-confirm={`${label}? This is hard to reverse.`}>
          {label}
        </button>
      ) : (
        <button>{label}</button>
      )}
    </form>
  );
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
  const common = {
    name,
    autocomplete: 'off' as const,
    ...(required ? { required } : {}),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(value === undefined ? {} : { value }),
  };
  // A label that contained the hint would be read out with it as the field's name.
  const described = hint === undefined ? {} : { 'aria-describedby': `hint-${name}-${label.replaceAll(/\W+/g, '-')}` };
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
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name}>
        {options.map(([each, text]) => (
          <option value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
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
