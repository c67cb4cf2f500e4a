import { type QueryBus } from '@nestjs/cqrs';
import { type VNode } from 'preact';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { callerAddress } from '../../platform/http-server/address.js';
import { type MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { type CallTickets } from '../../http/limiting/call-tickets.js';
import { sentFile, TAKES_TABLE } from '../../http/validating/request-body.js';
import { type FormKeys, ownerOf } from '../acts/form-keys.js';
import { type ShownPages } from '../acts/shown-pages.js';
import { type Submissions } from '../acts/submissions.js';
import { type TypedForms } from '../acts/typed-forms.js';
import { AdminApi, AdminApiError } from '../admin-api.js';
import { Form } from '../form.js';
import { type ServiceNotices, ServiceNoticesPart } from '../components/service-notices.js';
import { NOTICES_PATH, pageOf, partOf } from '../page.js';
import { type Done, type LivePart, type Routes, type Screen, type ShownScreen, type Shows, type Visit } from '../screen.js';
import { type ServiceState } from '../service-state.js';
import { type Sessions } from '../sessions/sessions.js';
import { isSameOrigin } from '../sessions/sign-in.js';
import { askToSignIn } from '../sessions/wanted-page.js';
import { CONFIRMATION, type Confirmed, confirmedIn, goneScreen } from './confirm-screen.js';
import { failureScreen } from './failure-screen.js';
import { type LiveStreams } from './live-streams.js';
import { takeSaid } from './said.js';

interface Parts {
  /** The instance with the routes of the admin interface. */
  readonly root: FastifyInstance;
  readonly sessions: Sessions;
  readonly keys: FormKeys;
  readonly submissions: Submissions;
  readonly pages: ShownPages;
  readonly typed: TypedForms;
  readonly tickets: CallTickets;
  readonly queries: QueryBus;
  readonly streams: LiveStreams;
  readonly maintenance: MaintenanceMode;
  readonly state: ServiceState;
}

const HTML = 'text/html; charset=utf-8';
/** The session's token of a request that a script sends. */
const CSRF_HEADER = 'x-csrf';

type Params = Readonly<Record<string, string>>;

/** Adds screens, acts, live parts and downloads below /console for people who are signed in. */
export class ConsoleRoutes implements Routes {
  private readonly confirmation: (params: Params, content: Confirmed) => Shows;

  constructor(
    private readonly scope: FastifyInstance,
    private readonly parts: Parts,
  ) {
    this.confirmation = this.shown('/confirm/:shown', CONFIRMATION);
    scope.get(NOTICES_PATH.replace('/console', ''), async (_request, reply) =>
      reply
        .type(HTML)
        .header('Cache-Control', 'no-store')
        .send(partOf(ServiceNoticesPart(await this.notices()))),
    );
  }

  screen(path: string, show: (visit: Visit) => Promise<Screen> | Screen): void {
    this.scope.get(path, async (request, reply) => {
      const visit = await this.visitOf(request);
      if (!visit) return askToSignIn(request, reply);
      const screen = await Promise.resolve(show(visit)).catch(failureScreen);
      return this.send(request, reply, screen, visit);
    });
  }

  act(path: string, perform: (visit: Visit, form: Form) => Promise<Done | Shows>): void {
    const { submissions, sessions } = this.parts;
    this.scope.post(path, async (request, reply) => {
      const form = new Form(request.body);
      const submission = isSameOrigin(request) ? submissions.read(request, form) : undefined;
      const visit = await this.visitOf(request);
      if (!visit) {
        if (submission) await submissions.keepForSignIn(reply, submission);
        return reply.redirect('/console/sign-in', 303);
      }
      if (!submission) return this.send(request, reply, failureScreen(new AdminApiError(403, 'form_expired', FORM_EXPIRED)), visit);
      const isOfSession = sessions.mayAct(request, form.text('_csrf'));
      return submissions.carryOut([request, reply], [visit, submission, isOfSession], perform, (each) =>
        this.confirmation({}, confirmedIn(each)),
      );
    });
  }

  shown<C extends object>(path: string, { kind, show, gone, back }: ShownScreen<C>): (params: Params, content: C) => Shows {
    const { pages } = this.parts;
    this.screen(path, async (visit) => {
      const found = await pages.find<C>(kind, visit.person, visit.params.shown ?? '');
      return found ? await show({ ...visit, formKey: found.formKey }, found.content) : goneScreen(gone, back(visit.params));
    });
    if (kind === 'secret')
      this.act(`${path}/stored`, async ({ params }) => {
        await pages.forget(kind, params.shown ?? '');
        return { goTo: back(params), notice: 'The page is not shown any more.' };
      });
    return (params, content) => ({ kind, content, path: (id) => `/console${filledIn(path, { ...params, shown: id })}` });
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
      this.parts.streams.open(reply, visit.person, everyMs, async () => {
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
      if (!visit) return askToSignIn(request, reply);
      try {
        const { status, headers, body } = await open(visit);
        return await reply.code(status).headers(headers).send(body);
      } catch (error) {
        return await this.send(request, reply, failureScreen(error), visit);
      }
    });
  }

  private async visitOf(request: FastifyRequest): Promise<Visit | undefined> {
    const person = await this.parts.sessions.personOf(request);
    if (!person) return undefined;
    const { root, tickets, queries, keys, typed } = this.parts;
    const kept = request.method === 'GET' ? await typed.find(request, person) : undefined;
    return {
      api: new AdminApi(root, tickets, person, callerAddress(request)),
      queries,
      person,
      params: request.params as Params,
      query: lastOfEach(request.query as Readonly<Record<string, string | readonly string[]>>),
      url: request.url,
      formKey: (_action, asks) => keys.make(ownerOf(person), asks, Date.now()),
      typed: kept?.from === request.url ? kept : undefined,
    };
  }

  private async notices(): Promise<ServiceNotices> {
    const { maintenance, state } = this.parts;
    // A page about a store that does not respond must not fail because of the store.
    return { ...(await state.read()), maintenance: await maintenance.inForce().catch(() => null) };
  }

  private async send(request: FastifyRequest, reply: FastifyReply, screen: Screen, { person, typed }: Visit): Promise<FastifyReply> {
    const said = takeSaid(request, reply);
    const { q = '' } = request.query as Params;
    return reply
      .code(screen.status ?? 200)
      .type(HTML)
      .send(
        pageOf(screen, person, {
          said,
          search: typeof q === 'string' ? q : '',
          notices: await this.notices(),
          isFilledIn: typed !== undefined,
        }),
      );
  }
}

const FORM_EXPIRED = 'No page has such a form, or it was opened before a release. Go back, reload the page and submit it again.';

/** Returns the path with its parameters encoded. */
function filledIn(path: string, params: Params): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
}

function lastOfEach(query: Readonly<Record<string, string | readonly string[]>>): Params {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value : (value.at(-1) ?? '')]));
}
