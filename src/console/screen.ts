import { type TokenHolder } from '../http/authenticating/admin-tokens.js';
import { type QueryBus } from '@nestjs/cqrs';
import { type VNode } from 'preact';
import { type AdminApi, type StreamedResponse } from './admin-api.js';
import { type Form, type TypedForm } from './form.js';

/** The entry of the navigation that a screen belongs to. */
export type Area =
  'overview' | 'partners' | 'lookups' | 'webhooks' | 'farmers' | 'prices' | 'books' | 'verify' | 'read-models' | 'log' | 'administration';

/** A request of a signed-in person. */
export interface Visit {
  readonly api: AdminApi;
  /**
   * The queries of the admin interface, for a part of a page that is read again and again while the page is open. The audit trail has the
   * calls that made the page, and not one more every second.
   */
  readonly queries: QueryBus;
  readonly person: Person;
  /** Values of the path's parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Values of the query string; of a repeated name the last one. */
  readonly query: Readonly<Record<string, string>>;
  /** Path and query string of the request. */
  readonly url: string;
  /** Makes the key of a form of the page. @param asks what the form asks before it acts, encoded */
  readonly formKey: (action: string, asks: string) => string;
  /** The values that the person typed into a form of this page that was not carried out. */
  readonly typed: TypedForm | undefined;
}

/** A page of the console: what stands between the navigation and the end of the page. */
export interface Screen {
  readonly title: string;
  readonly area: Area | null;
  readonly body: VNode;
  readonly status?: number;
  /** Names of the modules in src/console/browser that the page runs in addition to `every-page`. */
  readonly modules?: readonly string[];
}

/** The end of an act: the page that is shown next, and what it says there. */
export interface Done {
  readonly goTo: string;
  readonly notice: string;
}

/** The end of an act that leads to a page with what the act returned. Made by what {@link Routes.shown} returns. */
export interface Shows {
  readonly kind: 'page' | 'secret';
  readonly content: object;
  /** Returns the path of the page. @param id of what is kept for it */
  readonly path: (id: string) => string;
}

type Params = Readonly<Record<string, string>>;

/** A page that an act leads to, such as a new key. */
export interface ShownScreen<C extends object> {
  /** A `secret` is shown for ten minutes to the session that acted; a `page` for half a day to the person. */
  readonly kind: Shows['kind'];
  readonly show: (visit: Visit, content: C) => Promise<Screen> | Screen;
  /** Says what to do once the page is shown no longer. */
  readonly gone: string;
  /** Returns the path of the page to go back to. */
  readonly back: (params: Params) => string;
}

/** Part of a page that is sent again whenever it has changed, until `last`. */
export interface LivePart {
  readonly html: VNode;
  readonly last?: boolean;
}

/** Adds routes below /console. Every one requires a session, and every act the session's CSRF token. */
export interface Routes {
  /** @param path below /console, such as `/partners/:id` */
  screen(path: string, show: (visit: Visit) => Promise<Screen> | Screen): void;
  /**
   * A submitted form, made by `ActForm`. It is carried out once, however often it is submitted, and the response is always a redirect: to the
   * page that it returns, or back to the form with what was typed.
   */
  act(path: string, perform: (visit: Visit, form: Form) => Promise<Done | Shows>): void;
  /**
   * A page that acts lead to. It can be loaded again without acting again; `secret` pages have an act below `/stored` that ends them.
   * @param path with the parameter `:shown`
   * @returns makes the end of an act from the other parameters of the path, decoded, and what the page shows, as JSON
   */
  shown<C extends object>(path: string, screen: ShownScreen<C>): (params: Params, content: C) => Shows;
  /**
   * A file that a script of a page sends as the body of a request, up to 8 MiB. It returns a part of the page. The query of the visit says
   * what the file is sent for.
   */
  upload(path: string, take: (visit: Visit, file: Buffer) => Promise<VNode>): void;
  /** Server-sent events with the HTML of a part of a page, for `<Live from=…>`. @param everyMs milliseconds between two readings */
  live(path: string, everyMs: number, read: (visit: Visit) => Promise<LivePart>): void;
  /** A response of the admin interface that is passed on as it is, such as an export. */
  download(path: string, open: (visit: Visit) => Promise<StreamedResponse>): void;
}

/** The administrator or auditor who is signed in. */
export interface Person extends TokenHolder {
  /** Hash of the session's id. */
  readonly session: string;
  /** Text that identifies the session in the forms of its pages, so that no other site can submit them. */
  readonly csrf: string;
}

/** Returns the name that the pages show. */
export function nameOf({ role, name }: Pick<TokenHolder, 'role' | 'name'>): string {
  return name ?? (role === 'admin' ? 'Administrator' : 'Auditor');
}
