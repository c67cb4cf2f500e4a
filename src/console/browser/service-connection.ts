/**
 * Keeps a page honest about its age: it asks the service every few seconds what is wrong with it, refreshes the parts that the service sends
 * again, and says since when it has heard nothing.
 */

const ASK_EVERY_MS = 10_000;
/** Milliseconds between two questions while the service does not respond. */
const ASK_AGAIN_MS = 3_000;
const TIMEOUT_MS = 8_000;
/** Responses of the service in a row without which a part counts as lost: the browser connects again by itself within seconds. */
const MISSED = 2;

type Complete = (root: ParentNode) => void;

/** A part of the page that the service sends again when it has changed. */
class LivePart {
  private events: EventSource | undefined;
  private before: readonly string[] = [];
  private ended = false;
  /** How often the service has responded while this part was not connected. */
  missed = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly complete: Complete,
    private readonly onLost: () => void,
  ) {}

  get connected(): boolean {
    return this.ended || this.events?.readyState === EventSource.OPEN;
  }

  /** Connects unless the browser is connected or connecting. It gives up after a response that is no stream, such as a 503. */
  connect(): void {
    if (this.ended || (this.events && this.events.readyState !== EventSource.CLOSED)) return;
    this.reconnect();
  }

  /** Connects again, because a connection that broke in silence looks like one that has nothing new. */
  reconnect(): void {
    if (this.ended) return;
    this.events?.close();
    const events = new EventSource(this.element.dataset.live ?? '');
    this.events = events;
    events.addEventListener('message', ({ data }: MessageEvent<string>) => {
      this.show(data);
    });
    events.addEventListener('last', () => {
      this.ended = true;
      events.close();
    });
    events.addEventListener('error', () => {
      this.onLost();
    });
  }

  /** Replaces the blocks that have changed, so that the others keep what a person has opened, selected or focused in them. */
  private show(html: string): void {
    const { element } = this;
    const open = [...element.querySelectorAll<HTMLDetailsElement>('details[open][id]')].map(({ id }) => id);
    const focused = element.contains(document.activeElement) ? document.activeElement?.id : undefined;
    const template = document.createElement('template');
    template.innerHTML = html;
    const blocks = [...template.content.children];
    const texts = blocks.map(({ outerHTML }) => outerHTML);
    if (texts.length === this.before.length && element.children.length === texts.length)
      [...element.children].forEach((each, index) => {
        const block = blocks[index];
        if (block && texts[index] !== this.before[index]) each.replaceWith(block);
      });
    else element.replaceChildren(template.content);
    this.before = texts;
    this.complete(element);
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    if (focused) document.getElementById(focused)?.focus();
    element.dispatchEvent(new CustomEvent('rupa:changed', { bubbles: true }));
  }
}

class Connection {
  private timer: number | undefined;
  private asking = false;
  /** ISO 8601, by the clock of the service. */
  private heardAt: string;
  private lost = false;
  private notice: HTMLElement | undefined;
  private shown = '';
  private readonly parts: readonly LivePart[];

  constructor(
    private readonly notices: HTMLElement,
    private readonly complete: Complete,
  ) {
    this.heardAt = notices.dataset.at ?? '';
    this.parts = [...document.querySelectorAll<HTMLElement>('[data-live]')].map(
      (element) =>
        new LivePart(element, complete, () => {
          void this.ask();
        }),
    );
    for (const part of this.parts) part.connect();
    this.askIn(ASK_EVERY_MS);
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) void this.ask();
    });
  }

  private askIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(), ms);
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    // A page that nobody looks at asks nothing until somebody does.
    if (document.hidden) {
      this.askIn(ASK_EVERY_MS);
      return;
    }
    this.asking = true;
    const html = await this.response();
    this.asking = false;
    if (html === undefined) this.say('lost');
    else this.heard(html);
    this.askIn(html === undefined ? ASK_AGAIN_MS : ASK_EVERY_MS);
  }

  /** Returns the notices of the service; undefined if it does not respond, or something else responds in its place. */
  private async response(): Promise<string | undefined> {
    try {
      const response = await fetch(this.notices.dataset.notices ?? '', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) return undefined;
      const html = await response.text();
      const at = new Date(response.headers.get('date') ?? Date.now());
      this.heardAt = at.toISOString();
      return html;
    } catch {
      return undefined;
    }
  }

  private heard(html: string): void {
    if (html !== this.shown) {
      this.shown = html;
      this.notices.innerHTML = html;
      this.complete(this.notices);
    }
    for (const part of this.parts) {
      if (this.lost) part.reconnect();
      else part.connect();
      part.missed = part.connected ? 0 : part.missed + 1;
    }
    this.lost = false;
    if (this.parts.every(({ missed }) => missed < MISSED)) {
      this.notice?.remove();
      this.notice = undefined;
    } else this.say('unrefreshed');
    document.body.classList.toggle('unheard', this.notice !== undefined);
  }

  /** Says that what the page shows is old. Its text stays as it is until the page is refreshed, or it would be read aloud again and again. */
  private say(state: 'lost' | 'unrefreshed'): void {
    if (state === 'lost') this.lost = true;
    document.body.classList.add('unheard');
    if (this.notice?.dataset.state === state) return;
    this.notice?.remove();
    const notice = document.createElement('div');
    notice.className = 'notice bad connection';
    notice.setAttribute('role', 'alert');
    notice.dataset.state = state;
    const at = document.createElement('time');
    at.dateTime = this.heardAt;
    at.textContent = this.heardAt.slice(0, 19).replace('T', ' ');
    const [before, after] = TEXTS[state];
    notice.append(before, at, after);
    this.notices.before(notice);
    this.notice = notice;
    this.complete(notice);
  }
}

const TEXTS = {
  lost: ['No connection since ', ' UTC. What this page shows is from before. It connects again by itself.'],
  unrefreshed: ['Not refreshed since ', ' UTC: you may be signed out, or have too many pages open. Reload the page.'],
} as const;

/** Watches the connection of a page to its service. @param complete changes parts that the service has sent */
export function watchConnection(complete: Complete): void {
  const notices = document.querySelector<HTMLElement>('[data-notices]');
  if (notices) new Connection(notices, complete);
}
