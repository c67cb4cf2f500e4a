import { type KeyObject } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import { type INestApplicationContext } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyInstance } from 'fastify';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { AdminAuthentication } from '../http/authenticating/admin-authentication.js';
import { AdminCallLog } from '../http/authenticating/record-admin-calls.js';
import { AdminTokens } from '../http/authenticating/admin-tokens.js';
import { MaintenanceMode } from '../http/limiting/maintenance-mode.js';
import { CallTickets } from '../http/limiting/call-tickets.js';
import { acceptForms } from '../http/validating/request-body.js';
import { RepeatedDeletion } from '../platform/database/delete-old-rows.js';
import { LOGGER, POOL } from '../platform/injection-tokens.js';
import { MasterKeys } from '../platform/key-store/master-keys.js';
import { ActsOnce } from './acts/acts-once.js';
import { FormKeys } from './acts/form-keys.js';
import { EncryptedTexts, KeptThings, OLD_SECRETS } from './acts/kept-things.js';
import { ShownPages } from './acts/shown-pages.js';
import { Submissions } from './acts/submissions.js';
import { TypedForms } from './acts/typed-forms.js';
import { AdminApiError } from './admin-api.js';
import { CONSOLE_POLICY } from './page.js';
import { addDeploymentScreens, type Doctor } from './screens/administration/deployment-screens.js';
import { addLogScreens } from './screens/log/log-screens.js';
import { addLookupScreens } from './screens/lookups/lookup-screens.js';
import { addOverviewScreens } from './screens/overview/overview-screens.js';
import { SCREENS } from './screens/screens.js';
import { serveAssets } from './serving/assets.js';
import { ConsoleRoutes } from './serving/console-routes.js';
import { showFailuresAsPages, failureScreen } from './serving/failure-screen.js';
import { ServiceState } from './service-state.js';
import { LiveStreams } from './serving/live-streams.js';
import { type RoleNames } from './sessions/claims.js';
import { CsrfTokens } from './sessions/csrf.js';
import { OpenIdProvider } from './sessions/open-id-provider.js';
import { CALLBACK_PATH, serveProviderSignIn } from './sessions/provider-sign-in.js';
import { DeletedRowsMetrics } from '../platform/metrics/definitions/deleted-rows.js';
import { RowMacs } from '../platform/projecting/row-macs.js';
import { SessionStore } from './sessions/session-store.js';
import { Sessions } from './sessions/sessions.js';
import { serveSignIn } from './sessions/sign-in.js';

const PURPOSE = 'sessions of the console';

interface ConsoleSettings {
  readonly consoleUrl: string;
  /** Address of a trace, with `{trace_id}` in the place of its id. */
  readonly consoleTraceUrl: string | undefined;
  /** The OpenID provider; without an issuer, people sign in with a token. */
  readonly consoleSignIn: RoleNames & {
    readonly issuer: string | undefined;
    readonly clientId: string | undefined;
    readonly clientSecret: string | undefined;
    readonly scope: string;
  };
}

/**
 * Serves the pages for administrators and auditors below /console (docs/console.md). Its routes have hooks, cookies and bodies of their own,
 * so that no route of the interface reads a cookie or a form.
 * @param doctor examines the settings and the stores, as `rupa doctor` does
 */
export function serveConsole(
  app: INestApplicationContext,
  root: FastifyInstance,
  { consoleUrl, consoleTraceUrl, consoleSignIn }: ConsoleSettings,
  doctor: Doctor,
): void {
  const masterKeys = app.get(MasterKeys);
  const keys = (): readonly KeyObject[] => masterKeys.derived(PURPOSE);
  const tokens = app.get(AdminTokens);
  const provider = providerOf(consoleSignIn, consoleUrl);
  const secure = consoleUrl.startsWith('https:');
  const forms = formsOf(app, keys);
  const sessions = new Sessions({
    store: new SessionStore(app.get<Pool>(POOL), app.get(RowMacs)),
    tokens,
    provider,
    csrf: new CsrfTokens(keys),
    secure,
  });
  const streams = new LiveStreams();
  void root.register(
    async (scope) => {
      const secret = keys().map((key) => key.export().toString('hex'));
      // For every cookie, also when it is deleted: a browser ignores the deletion of one whose name begins with __Host- otherwise.
      await scope.register(fastifyCookie, { secret, parseOptions: { httpOnly: true, secure } });
      acceptForms(scope);
      scope.addHook('onRequest', (_request, reply, done) => {
        reply.header('Content-Security-Policy', CONSOLE_POLICY);
        done();
      });
      scope.addHook('preClose', (done) => {
        streams.close();
        done();
      });
      deleteOldSecrets(scope, app);
      showFailuresAsPages(scope);
      serveAssets(scope);
      const signIn = { sessions, authentication: app.get(AdminAuthentication), audit: app.get(AdminCallLog), typed: forms.typed };
      serveSignIn(scope, { ...signIn, provider });
      if (provider) serveProviderSignIn(scope, { ...signIn, provider, logger: app.get<Logger>(LOGGER) });
      const maintenance = app.get(MaintenanceMode);
      const routes = new ConsoleRoutes(scope, {
        root,
        sessions,
        ...forms,
        tickets: app.get(CallTickets),
        queries: app.get(QueryBus),
        streams,
        maintenance,
        state: app.get(ServiceState),
      });
      for (const add of SCREENS) add(routes);
      addLookupScreens(routes, consoleTraceUrl);
      addOverviewScreens(routes, app.get(ServiceState));
      addLogScreens(routes, app.get(ServiceState));
      addDeploymentScreens(routes, { tokens, masterKeys, doctor });
      routes.screen('/*', () => failureScreen(new AdminApiError(404, 'route_not_found', 'There is no such page.')));
    },
    { prefix: '/console' },
  );
}

/** Returns the parts that carry out forms once, and keep what was typed into those that are not carried out (docs/adr/0065). */
function formsOf(app: INestApplicationContext, secrets: () => readonly KeyObject[]) {
  const pool = app.get<Pool>(POOL);
  const texts = new EncryptedTexts(app.get(MasterKeys));
  const things = new KeptThings(pool, texts);
  const keys = new FormKeys(secrets);
  const typed = new TypedForms(things);
  const pages = new ShownPages(things, keys);
  return { keys, typed, pages, submissions: new Submissions({ keys, once: new ActsOnce(pool, texts), typed, pages }) };
}

/** Deletes the secrets that are shown no longer, while the service runs. */
function deleteOldSecrets(scope: FastifyInstance, app: INestApplicationContext): void {
  const metrics = app.get(DeletedRowsMetrics);
  const deletions = new RepeatedDeletion(app.get<Pool>(POOL), OLD_SECRETS, metrics.deleted.bind(metrics), (error) => {
    app
      .get<Logger>(LOGGER)
      .warn({ reason: String(error) }, 'secrets that the console had shown could not be deleted; retrying in 10 minutes');
  });
  scope.addHook('onReady', (done) => {
    deletions.start();
    done();
  });
  scope.addHook('preClose', () => deletions.stop());
}

function providerOf(
  { issuer, clientId, clientSecret, ...others }: ConsoleSettings['consoleSignIn'],
  consoleUrl: string,
): OpenIdProvider | undefined {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return new OpenIdProvider({ issuer: new URL(issuer), clientId, clientSecret, ...others }, new URL(CALLBACK_PATH, consoleUrl));
}
