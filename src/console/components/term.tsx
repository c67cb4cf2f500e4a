import { type VNode } from 'preact';
import { nameOfTerm } from '../names.js';
import { Code } from './text.js';

/** A section, a fee or an event type: its name for people, with the technical one beside it. */
export function Term({ children }: { readonly children: string }): VNode {
  return (
    <span class="term">
      {nameOfTerm(children)} <Code>{children}</Code>
    </span>
  );
}

/** Several terms, separated by commas. */
export function Terms({ of }: { readonly of: readonly string[] }): VNode {
  return <>{of.map((term, index) => [index === 0 ? '' : ', ', <Term>{term}</Term>])}</>;
}
