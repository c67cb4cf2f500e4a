import { type QueryBus } from '@nestjs/cqrs';
import { type VNode } from 'preact';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { callerAddress } from '../../http/address.js';
import { type MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { type CallTickets } from '../../http/limiting/call-tickets.js';
import { sentFile, TAKES_TABLE } from '../../http/validating/sent-file.js';
import { AdminApi, AdminApiError, CallWaits } from '../admin-api.js';
import { Form } from '../form.js';
import { pageOf, partOf, type Said } from '../page.js';
import { type Done, type LivePart, type Person, type Routes, type Screen, type Visit } from '../screen.js';
import { type Sessions } from '../sessions/sessions.js';
import { isSameOrigin } from '../sessions/sign-in.js';
import { failureScreen } from './failure-screen.js';
import { type LiveStreams } from './live-streams.js';

interface Parts {
  /** The instance with the routes of the admin interface. */
  readonly root: FastifyInstance;
  readonly sessions: Sessions;
  readonly tickets: CallTickets;
  readonly queries: QueryBus;
  readonly streams: LiveStreams;
  readonly maintenance: MaintenanceMode;
}

const HTML = 'text/html; charset=utf-8';
/** The session's token of a request that a script sends. */
const CSRF_HEADER = 'x-csrf';
const SAID = 'rupa_said';
const SAID_SECONDS = 60;

type Params = Readonly<Record<string, string>>;

/** Adds screens, acts, live parts and downloads below /console for people who are signed in. */
export class ConsoleRoutes implements Routes {
  constructor(
    private readonly scope: FastifyInstance,
    private readonly parts: Parts,
  ) {}

  screen(path: string, show: (visit: Visit) => Promise<Screen> | Screen): void {
    this.scope.get(path, async (request, reply) => {
      const visit = await this.visitOf(request);
      if (!visit) return reply.redirect('/console/sign-in', 303);
      const screen = await Promise.resolve(show(visit)).catch(failureScreen);
      return this.send(request, reply, screen, visit.person);
    });
  }

  act(path: string, perform: (visit: Visit, form: Form) => Promise<Done | Screen>): void {
    this.scope.post(path, async (request, reply) => {
      const form = new Form(request.body);
      const visit = await this.visitOf(request);
      if (!visit) return reply.redirect('/console/sign-in', 303);
      if (!isSameOrigin(request) || !this.parts.sessions.mayAct(request, form.text('_csrf')))
        return this.send(request, reply, failureScreen(new AdminApiError(403, 'form_expired', FORM_EXPIRED)), visit.person);
      try {
        const done = await perform(visit, form);
        if ('body' in done) return await this.send(request, reply, done, visit.person);
        return await say(reply, { tone: 'good', text: done.notice }).redirect(done.goTo, 303);
      } catch (error) {
        if (error instanceof CallWaits)
          return say(reply, { tone: 'warn', text: error.message }).redirect(pageBefore(form.text('_from')), 303);
        if (!(error instanceof AdminApiError) || (error.status >= 500 && error.code !== 'maintenance')) throw error;
        return say(reply, { tone: 'bad', text: error.sentence }).redirect(pageBefore(form.text('_from')), 303);
      }
    });
  }

  upload(path: string, take: (visit: Visit, file: Buffer) => Promise<VNode>): void {
    // Nothing of a file is read before the session and its token are checked.
    const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
      if (!(await this.parts.sessions.personOf(request))) return await reply.code(401).send();
      const { [CSRF_HEADER]: token } = request.headers;
      if (isSameOrigin(request) && this.parts.sessions.mayAct(request, typeof token === 'string' ? token : '')) return undefined;
      return await reply.code(403).send();
    };
    this.scope.post(path, { config: TAKES_TABLE, onRequest }, async (request, reply) => {
      const visit = await this.visitOf(request);
      if (!visit) return reply.code(401).send();
      return reply.type(HTML).send(partOf(await take(visit, sentFile(request))));
    });
  }

  live(path: string, everyMs: number, read: (visit: Visit) => Promise<LivePart>): void {
    this.scope.get(path, async (request, reply) => {
      const visit = await this.visitOf(request);
      if (!visit) return reply.code(401).send();
      this.parts.streams.open(reply, visit.person.fingerprint, everyMs, async () => {
        // Signing out ends the stream, too.
        if (!(await this.parts.sessions.personOf(request))) return undefined;
        const { html, last = false } = await read(visit);
        return { text: partOf(html), last };
      });
      return reply;
    });
  }

  download(path: string, open: Parameters<Routes['download']>[1]): void {
    this.scope.get(path, async (request, reply) => {
      const visit = await this.visitOf(request);
      if (!visit) return reply.redirect('/console/sign-in', 303);
      try {
        const { status, headers, body } = await open(visit);
        return await reply.code(status).headers(headers).send(body);
      } catch (error) {
        return await this.send(request, reply, failureScreen(error), visit.person);
      }
    });
  }

  private async visitOf(request: FastifyRequest): Promise<Visit | undefined> {
    const person = await this.parts.sessions.personOf(request);
    if (!person) return undefined;
    const { root, tickets, queries } = this.parts;
    return {
      api: new AdminApi(root, tickets, person, callerAddress(request)),
      queries,
      person,
      params: request.params as Params,
      query: lastOfEach(request.query as Readonly<Record<string, string | readonly string[]>>),
      url: request.url,
    };
  }

  private async send(request: FastifyRequest, reply: FastifyReply, screen: Screen, person: Person): Promise<FastifyReply> {
    const said = saidIn(request);
    if (said) void reply.clearCookie(SAID, { path: '/console' });
    const { q = '' } = request.query as Params;
    // A page about a store that does not respond must not fail because of the store.
    const maintenance = await this.parts.maintenance.inForce().catch(() => null);
    return reply
      .code(screen.status ?? 200)
      .type(HTML)
      .send(pageOf(screen, person, { said, search: typeof q === 'string' ? q : '', maintenance }));
  }
}

const FORM_EXPIRED = 'This form is of another session. Go back, reload the page and submit it again.';

function lastOfEach(query: Readonly<Record<string, string | readonly string[]>>): Params {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value : (value.at(-1) ?? '')]));
}

/** Stores what an act says until the next page shows it. Signed, so that no other page of the host can put words there. */
function say(reply: FastifyReply, said: Said): FastifyReply {
  const value = Buffer.from(JSON.stringify(said)).toString('base64url');
  return reply.setCookie(SAID, value, { path: '/console', httpOnly: true, sameSite: 'strict', maxAge: SAID_SECONDS, signed: true });
}

function saidIn(request: FastifyRequest): Said | undefined {
  const sent = request.cookies[SAID];
  const unsigned = sent === undefined ? undefined : request.unsignCookie(sent);
  return unsigned?.valid ? (JSON.parse(Buffer.from(unsigned.value, 'base64url').toString()) as Said) : undefined;
}

/** Returns the page that a form was on. Only a page of the console: a form could name any address. */
function pageBefore(from: string): string {
  return /^\/console(?:[/?]|$)/.test(from) && !from.includes('\\') ? from : '/console';
}
