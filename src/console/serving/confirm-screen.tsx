import { decodeAsk } from '../acts/form-keys.js';
import { type Submission } from '../acts/submissions.js';
import { ServiceFields } from '../components/form.js';
import { Facts } from '../components/table.js';
import { Notice } from '../components/text.js';
import { Form } from '../form.js';
import { type Screen, type ShownScreen } from '../screen.js';

/** A submitted form that the person has yet to confirm. It keeps its key, so that it acts once, however it is confirmed. */
export interface Confirmed {
  readonly action: string;
  readonly from: string;
  readonly key: string;
  readonly asks: string;
  readonly fields: string;
}

export function confirmedIn({ action, from, key, asks, form }: Submission): Confirmed {
  return { action, from, key, asks, fields: form.typed };
}

/** The page that asks before an act. It works without scripts. */
export const CONFIRMATION: ShownScreen<Confirmed> = {
  kind: 'page',
  gone: 'Nothing was done. Open the form again, and submit it.',
  back: () => '/console',
  show: ({ person }, { action, from, key, asks, fields }): Screen => {
    const { label = '', question = '' } = decodeAsk(asks) ?? {};
    const typed = new Form(fields).entries();
    const known = typed.filter(([, value]) => value !== '').map(([name, value]) => [nameOf(name), value] as const);
    return {
      title: `${label}?`,
      area: null,
      body: (
        <>
          <Notice tone="warn">{question}</Notice>
          {known.length === 0 ? null : <Facts facts={known} />}
          <form method="post" action={action}>
            <ServiceFields csrf={person.csrf} from={from} formKey={key} asks={asks} />
            <input type="hidden" name="_sure" value="yes" />
            {typed.map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <div class="acts">
              <button class="dangerous">{label}</button>
              <a class="button quiet" href={from}>
                Go back without doing it
              </a>
            </div>
          </form>
        </>
      ),
    };
  },
};

/** The page in the place of one that is shown no longer. @param next what to do about it */
export function goneScreen(next: string, back: string): Screen {
  return {
    title: 'Not shown any more',
    area: null,
    status: 410,
    body: (
      <>
        <Notice tone="warn">This page was shown for a limited time, and to one person. {next}</Notice>
        <p>
          <a href={back}>Go back</a>
        </p>
      </>
    ),
  };
}

/** Returns the name of a field in words. */
function nameOf(field: string): string {
  const words = field.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
