import { type VNode } from 'preact';
import { queryOf } from '../../admin-api.js';
import { Badge, Code, type Tone } from '../../components/text.js';
import { type LogEvent } from '../../../contexts/evidence/log-browser/log-events.dto.js';

export const LOG_PATH = '/console/log';
export const STREAM_PATH = `${LOG_PATH}/stream`;
export const SET_ASIDE_PATH = `${LOG_PATH}/set-aside`;
const PARTS_PATH = `${LOG_PATH}/parts`;

/** Links between the pages about the log. */
export function LogLinks(): VNode {
  return (
    <p class="pages">
      <a href={LOG_PATH}>Newest events</a>
      <a href={STREAM_PATH}>A stream</a>
      <a href={SET_ASIDE_PATH}>Set-aside events</a>
      <a href={PARTS_PATH}>State of the parts</a>
      <a href="/console/books/checkpoints">Checkpoints and witnesses</a>
    </p>
  );
}

const LENGTH = 44;

/** The name of a stream, as a link to its events. @param from revision of the newest event to show */
export function StreamLink({ stream, from }: { readonly stream: string; readonly from?: number }): VNode {
  return (
    <a href={`${STREAM_PATH}${queryOf({ name: stream, from })}`}>
      <Code cut={LENGTH}>{stream}</Code>
    </a>
  );
}

const STATES: Readonly<Record<LogEvent['state'], readonly [tone: Tone, text: string]>> = {
  usable: ['good', 'usable'],
  set_aside: ['bad', 'set aside'],
  skipped: ['warn', 'skipped'],
  foreign: ['plain', 'not of this service'],
};

/** Says that an event cannot be used; nothing for an event that can. */
export function EventState({ state }: Pick<LogEvent, 'state'>): VNode | null {
  const [tone, text] = STATES[state];
  return state === 'usable' ? null : <Badge tone={tone}>{text}</Badge>;
}
