import { type VNode } from 'preact';
import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '../../http/authenticating/access-reason.js';
import { Field } from './form.js';
import { Notice } from './text.js';

const RULE = `${REASON_LENGTH_MIN} to ${REASON_LENGTH_MAX} characters`;

/** The field for the reason why somebody reads personal data. */
export function ReasonField({ value }: { readonly value: string | undefined }): VNode {
  return (
    <Field
      label="Reason"
      name="reason"
      required
      value={value}
      pattern={`.{${REASON_LENGTH_MIN},${REASON_LENGTH_MAX}}`}
      hint={`${RULE}. The audit trail keeps it for good under your name, and auditors read it: name a case, not a person.`}
    />
  );
}

/** Says that personal data are not shown, because of the reason that was typed. */
export function ReasonRefused(): VNode {
  return <Notice tone="bad">Nothing was shown: the reason must have {RULE} of printable text.</Notice>;
}
