import { type ComponentChildren, type VNode } from 'preact';
import { type Visit } from '../../screen.js';

interface ReadFormProps {
  readonly visit: Visit;
  readonly action: string;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A submitted form that changes nothing, so that auditors have it, too. */
export function ReadForm({ visit: { person, url }, action, label, children }: ReadFormProps): VNode {
  return (
    <form method="post" action={action} class="act">
      <input type="hidden" name="_csrf" value={person.csrf} />
      <input type="hidden" name="_from" value={url} />
      {children}
      <button>{label}</button>
    </form>
  );
}
