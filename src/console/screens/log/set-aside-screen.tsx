import { type VNode } from 'preact';
import { type SetAsideEvent, type SetAsideEvents } from '../../../contexts/evidence/log-browser/log-events.dto.js';
import { NextPage, Facts } from '../../components/table.js';
import { Term } from '../../components/term.js';
import { Code, Empty } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { LogLinks, SET_ASIDE_PATH, StreamLink } from './log-links.js';

/** The events that cannot be used and wait for a decision: what they hold up, and how to decide. */
export function setAsideScreen({ query: { cursor } }: Visit, { events, next_cursor }: SetAsideEvents): Screen {
  return {
    title: 'Set-aside events',
    area: 'log',
    body: (
      <>
        <LogLinks />
        <p>
          The service did not write these events, or a later release did. It goes on without them, and refuses only the calls that need
          their streams, until somebody decides.
        </p>
        {events.length === 0 ? <Empty>No event is set aside: the service can use every event of its streams.</Empty> : <HowToDecide />}
        {events.map((event) => (
          <SetAside event={event} />
        ))}
        <NextPage path={SET_ASIDE_PATH} query={{ cursor }} cursor={next_cursor} />
      </>
    ),
  };
}

function HowToDecide(): VNode {
  return (
    <>
      <h2>How to decide</h2>
      <ol>
        <li>Open the stream, and find out what wrote the event. The text of the event is shown to an administrator who types a reason.</li>
        <li>If a later release of this service wrote it, do not skip it: start that release, which uses the event.</li>
        <li>Otherwise, take the right to append to these streams from whatever wrote it.</li>
        <li>
          Then run the command below the event. A skip is final: the log and the audit trail show it. What should have counted, such as a
          credit, is recorded again in the ordinary way.
        </li>
      </ol>
    </>
  );
}

function SetAside({ event }: { readonly event: SetAsideEvent }): VNode {
  const { position, stream, revision, category, type, reason, event_id, holds_up } = event;
  return (
    <section class="event">
      <h2>
        Position {position}: <Term>{type}</Term>
      </h2>
      <p>
        It cannot be used, because {reason}. {heldUpBy(category)}
      </p>
      <Facts
        facts={[
          ['Stream', <StreamLink stream={stream} from={revision} />],
          ['Revision', revision],
          ['Event id', <Code>{event_id}</Code>],
          [
            'Holds up',
            holds_up.map((each) => (
              <div>
                <StreamLink stream={each} />
              </div>
            )),
          ],
        ]}
      />
      <pre class="json" tabIndex={0} role="region" aria-label={`Command that skips the event at position ${position}`}>
        <code>{`rupa events skip ${position} --reason '…'`}</code>
      </pre>
    </section>
  );
}

/** What sums up the books is refused while it may lack an entry. */
const BOOKS = 'So do reports of the books, reconciliations, settlements and closes of months.';

/** Sentences about the calls that wait for a decision about an event, by its stream's category (docs/operations.md, "An event that cannot be used"). */
const HELD_UP: Readonly<Record<string, string>> = {
  wallet: `Every call that needs the partner’s wallet gets 503: its lookups, its entries, credits and statements. ${BOOKS}`,
  farmer: 'Lookups of this farmer and reports about the farmer get 503.',
  contribution: 'Lookups of the farmers whom the report was about get 503.',
  consent: 'Calls that need this consent get 503.',
  partner: `Calls of this partner, and about it, get 503. ${BOOKS}`,
  apikey: 'Calls with this key get 503.',
  webhook: 'Calls about this endpoint get 503.',
  ledger: `Entries of these books get 503. ${BOOKS}`,
  pricebook: 'All lookups get 503, because a price that may have changed is not guessed.',
  priceschedule: 'All lookups get 503, because a price that may have changed is not guessed.',
};

/** Returns a sentence about the calls that are refused until the event is skipped. */
export function heldUpBy(category: string): string {
  return (Object.hasOwn(HELD_UP, category) ? HELD_UP[category] : undefined) ?? 'Calls that need this stream get 503.';
}
