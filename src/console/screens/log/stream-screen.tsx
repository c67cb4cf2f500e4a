import { type VNode } from 'preact';
import { type StreamEvent, type StreamEvents } from '../../../contexts/evidence/log-browser/log-events.dto.js';
import { actorOf } from '../../../http/authenticating/admin-tokens.js';
import { queryOf } from '../../admin-api.js';
import { ActForm, Field, Filters, Remembered } from '../../components/form.js';
import { ReasonField, ReasonRefused } from '../../components/reason.js';
import { Facts } from '../../components/table.js';
import { nameOfTerm } from '../../names.js';
import { Code, Count, jsonText, Notice, Time } from '../../components/text.js';
import { type Screen, type Visit } from '../../screen.js';
import { EventState, LogLinks, STREAM_PATH } from './log-links.js';

const ACTION = 'GET /admin/v1/streams/:stream';

/** A page of a stream that is shown. */
export interface ShownStream {
  readonly name: string;
  /** Revision of the newest event that was asked for. */
  readonly from: string | undefined;
  readonly page: StreamEvents;
  /** The reason for which the personal fields were read, or that was refused. */
  readonly reading?: { readonly reason: string; readonly refused: boolean };
}

/** The form that opens a stream, and why none is shown. */
export function findStreamScreen(name: string, problem?: VNode, status = 200): Screen {
  return {
    title: 'A stream',
    area: 'log',
    status,
    body: (
      <>
        <LogLinks />
        {problem ?? null}
        <StreamForm name={name} />
        <p class="soft">
          A stream’s name is its category, a hyphen and an id, such as <code>pricebook-main</code>, <code>wallet-PARTNER</code> or{' '}
          <code>farmer-RUPA-ID</code>. The page of the <a href="/console/log">newest events</a> links to streams.
        </p>
      </>
    ),
  };
}

/** Returns the page for a name that no stream has. */
export function unknownStreamScreen(name: string): Screen {
  const problem = (
    <Notice tone="warn">
      No stream of the log has this name. Names are case-sensitive; those that begin with $ are the event store’s own.
    </Notice>
  );
  return findStreamScreen(name, problem, 404);
}

/** Returns the page of a stream of which events are hidden or gone. */
export function missingHistoryScreen(name: string): Screen {
  const problem = (
    <Notice tone="bad">
      <p>
        Events of this stream are hidden or gone: it was deleted or truncated in the event store, so it is not read as a shorter one. Calls
        that need it get 503.
      </p>
      <p>
        <code>rupa doctor</code> says from which revision on it is there, and docs/operations.md, “Missing history”, how to get it back.
        Until then, start no scavenge.
      </p>
    </Notice>
  );
  return findStreamScreen(name, problem, 503);
}

function StreamForm({ name, from }: { readonly name: string; readonly from?: string | undefined }): VNode {
  return (
    <Filters action={STREAM_PATH}>
      <Field label="Name of the stream" name="name" value={name} required />
      <Field label="From revision back" name="from" value={from} pattern="[0-9]*" placeholder="newest" />
    </Filters>
  );
}

/** A stream with a page of its events, newest first. */
export function streamScreen(visit: Visit, shown: ShownStream): Screen {
  const { name, from, page, reading } = shown;
  const { last_revision, events, next } = page;
  const hides = events.some(({ hidden_fields, data }) => hidden_fields.length > 0 || data === null);
  return {
    title: name,
    area: 'log',
    status: reading?.refused ? 422 : 200,
    body: (
      <>
        <LogLinks />
        <StreamForm name={name} from={from} />
        <Facts facts={[['Events', <Count value={last_revision + 1} />]]} />
        {reading && !reading.refused ? <Reading visit={visit} name={name} reason={reading.reason} /> : null}
        {reading?.refused ? <ReasonRefused /> : null}
        {hides && !(reading && !reading.refused) ? <AskForReason visit={visit} shown={shown} /> : null}
        {events.map((event) => (
          <EventPart event={event} />
        ))}
        <p class="pages">
          {from ? <a href={`${STREAM_PATH}${queryOf({ name })}`}>Newest events</a> : null}
          {next === null ? null : (
            <a rel="next" href={`${STREAM_PATH}${queryOf({ name, from: next })}`}>
              Older events
            </a>
          )}
        </p>
      </>
    ),
  };
}

function Reading({ visit, name, reason }: { readonly visit: Visit; readonly name: string; readonly reason: string }): VNode {
  const actor = actorOf(visit.person);
  return (
    <Notice tone="warn">
      The <a href={`/console/administration${queryOf({ actor, action: ACTION })}`}>audit trail</a> records that {actor} read these events
      for the reason “{reason}”. <a href={`${STREAM_PATH}${queryOf({ name })}`}>Hide the personal data</a>
    </Notice>
  );
}

function AskForReason({ visit, shown: { name, from, reading } }: { readonly visit: Visit; readonly shown: ShownStream }): VNode {
  if (visit.person.role !== 'admin')
    return (
      <p class="soft">Personal fields, and events that cannot be used, are hidden from auditors. The evidence file has them encrypted.</p>
    );
  const url = `${STREAM_PATH}${queryOf({ name, from })}`;
  return (
    <details open={reading?.refused ?? false}>
      <summary>Show what is hidden on this page</summary>
      <ActForm visit={{ ...visit, url }} action={STREAM_PATH} label="Show personal data">
        <Remembered name="name" value={name} />
        <Remembered name="from" value={from ?? ''} />
        <ReasonField value={reading?.reason} />
      </ActForm>
    </details>
  );
}

function EventPart({ event }: { readonly event: StreamEvent }): VNode {
  const { revision, type, state, recorded_at, actor, position, event_id, hidden_fields } = event;
  return (
    <section class="event">
      <h2>
        {revision}. {nameOfTerm(type)} <Code>{type}</Code> <EventState state={state} />
      </h2>
      <p class="soft">
        {recorded_at === null ? null : (
          <>
            <Time at={recorded_at} /> UTC{actor === null ? '' : `, by ${actor}`},{' '}
          </>
        )}
        position {position}, id <Code>{event_id}</Code>
      </p>
      {hidden_fields.length === 0 ? null : <p>Hidden because they are personal: {hidden_fields.join(', ')}.</p>}
      <Content event={event} />
    </section>
  );
}

function Content({ event }: { readonly event: StreamEvent }): VNode {
  const { data, metadata, text, state, reason, revision } = event;
  if (data === null) {
    const why = state === 'foreign' ? 'Its stream is none of the service’s.' : `It cannot be used, because ${reason ?? ''}.`;
    return (
      <>
        <p>
          {why}
          {text === null ? ' Its content is hidden, because the service cannot tell what in it is personal.' : null}
        </p>
        {text === null ? null : <Json label={`Text of event ${revision}`} text={text} />}
      </>
    );
  }
  return (
    <>
      <Json label={`Data of event ${revision}`} text={jsonText(data, 2)} />
      <details>
        <summary>Metadata of event {revision}</summary>
        <Json label={`Metadata of event ${revision}`} text={jsonText(metadata, 2)} />
      </details>
    </>
  );
}

function Json({ label, text }: { readonly label: string; readonly text: string }): VNode {
  return (
    <pre class="json" tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
  );
}
