import { createHash } from 'node:crypto';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { AdminApiError, CallWaits } from '../admin-api.js';
import { type Form } from '../form.js';
import { type Done, type Shows, type Visit } from '../screen.js';
import { say } from '../serving/said.js';
import { type ActsOnce, type Outcome, type Result } from './acts-once.js';
import { type Ask, decodeAsk, type FormKeys, ownerOf } from './form-keys.js';
import { type ShownPages } from './shown-pages.js';
import { type TypedForms } from './typed-forms.js';

const SERVER_ERROR = 500;

const OTHER_PERSON = 'Nothing was done: somebody else was signed in when this form was opened. Open it again.';
const STALE = 'Nothing was done: this form is of an earlier session. It has what you typed. Check it, and submit it again.';
const OTHER_VALUES =
  'This form was submitted before, with other values. Nothing was done with what you typed now: it is in the form below. Submit it if you mean both.';
const RUNNING =
  'This form was submitted before and is still being carried out. Reload this page in a moment to see its effect; do not submit it again.';
const UNKNOWN = 'It is not known whether this was carried out. Look here whether it was before you submit the form again.';

interface Parts {
  readonly keys: FormKeys;
  readonly once: ActsOnce;
  readonly typed: TypedForms;
  readonly pages: ShownPages;
}

/** A form that a page of this service contained. */
export interface Submission {
  readonly form: Form;
  /** Path that the form was submitted to. */
  readonly action: string;
  /** The page that the form was on. */
  readonly from: string;
  readonly key: string;
  /** The person for whom the form was made, as `ownerOf` returns it. */
  readonly owner: string;
  readonly expired: boolean;
  readonly asks: string;
  readonly ask: Ask | undefined;
}

/** Returns the page on which the person confirms the form. */
type Confirm = (submission: Submission) => Shows;

/** Carries out submitted forms: each once, and without losing what was typed into one that is not carried out. */
export class Submissions {
  constructor(private readonly parts: Parts) {}

  /** Returns the submission; undefined if no page of this service has such a form. */
  read(request: FastifyRequest, form: Form): Submission | undefined {
    const [key, asks] = [form.text('_key'), form.text('_ask')];
    const read = this.parts.keys.read(key, asks, Date.now());
    if (!read) return undefined;
    const [action = ''] = request.url.split('?');
    return { form, action, from: pageBefore(form.text('_from')), key, asks, ask: decodeAsk(asks), ...read };
  }

  /** Keeps what was typed while the person signs in. Nothing was done. */
  async keepForSignIn(reply: FastifyReply, submission: Submission): Promise<void> {
    await this.keepTyped(reply, submission);
  }

  /**
   * Carries out the act, unless the person has to be asked first, and leads to the next page.
   * @param isOfSession whether the form was made for the session of the request
   */
  async carryOut(
    [request, reply]: readonly [FastifyRequest, FastifyReply],
    [visit, submission, isOfSession]: readonly [Visit, Submission, boolean],
    perform: (visit: Visit, form: Form) => Promise<Done | Shows>,
    confirm: Confirm,
  ): Promise<FastifyReply> {
    const { form, action, key } = submission;
    const early = this.before(visit, submission, isOfSession);
    if (early === 'ask') return reply.redirect(await this.parts.pages.keep(visit.person, confirm(submission)), 303);
    const hash = createHash('sha256').update(`${action}\n${form.typed}`).digest('hex');
    const outcome = early ?? (await this.parts.once.run({ key, hash }, () => this.result(visit, submission, perform)));
    const { goTo, said, refused = false, unknown = false } = resultOf(outcome, submission);
    if (refused || unknown) await this.keepTyped(reply, submission);
    else if ((await this.parts.typed.find(request, visit.person))?.action === action) await this.parts.typed.forget(request, reply);
    return (said ? say(reply, said) : reply).redirect(goTo, 303);
  }

  /** Returns how a submission ends before its act, or that the person is asked first; undefined if the act is carried out. */
  private before({ person }: Visit, { form, owner, expired, ask, from }: Submission, isOfSession: boolean): Result | 'ask' | undefined {
    if (owner !== ownerOf(person)) return { goTo: from, said: { tone: 'warn', text: OTHER_PERSON } };
    if (expired || !isOfSession) return { goTo: from, said: { tone: 'warn', text: STALE }, refused: true };
    if (ask?.word === undefined) return ask && form.text('_sure') === '' ? 'ask' : undefined;
    if (form.text('_typed') === ask.word) return undefined;
    const text = `Nothing was done: to confirm “${ask.label}”, type ${ask.word} exactly.`;
    return { goTo: from, said: { tone: 'bad', text }, refused: true };
  }

  private async result(
    visit: Visit,
    { form, from }: Submission,
    perform: (visit: Visit, form: Form) => Promise<Done | Shows>,
  ): Promise<Result> {
    try {
      const done = await perform(visit, form);
      if ('content' in done) return { goTo: await this.parts.pages.keep(visit.person, done) };
      return { goTo: done.goTo, said: { tone: 'good', text: done.notice } };
    } catch (error) {
      if (error instanceof CallWaits) return { goTo: from, said: { tone: 'warn', text: error.message } };
      if (!(error instanceof AdminApiError)) throw error;
      const { status, code, sentence } = error;
      if (status < SERVER_ERROR || code === 'maintenance') return { goTo: from, said: { tone: 'bad', text: sentence }, refused: true };
      return { goTo: from, said: { tone: 'bad', text: `${sentence} ${UNKNOWN}` }, unknown: true };
    }
  }

  private async keepTyped(reply: FastifyReply, { owner, from, action, form }: Submission): Promise<void> {
    await this.parts.typed.keep(reply, owner, { from, action, fields: form.keepable });
  }
}

function resultOf(outcome: Outcome, { from }: Submission): Result {
  switch (outcome) {
    case 'other-values':
      return { goTo: from, said: { tone: 'warn', text: OTHER_VALUES }, refused: true };
    case 'running':
      return { goTo: from, said: { tone: 'warn', text: RUNNING } };
    case 'interrupted':
      return { goTo: from, said: { tone: 'warn', text: UNKNOWN }, unknown: true };
    default:
      return outcome;
  }
}

/** Returns the page that a form was on. Only a page of the console: a form could name any address. */
function pageBefore(from: string): string {
  return /^\/console(?:[/?]|$)/.test(from) && !from.includes('\\') ? from : '/console';
}
