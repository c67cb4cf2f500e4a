import { applyDecorators } from '@nestjs/common';
import { ApiConsumes } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyRequest } from 'fastify';

/** Rules of a route that hooks follow before its handler runs. */
export interface RouteRules {
  /** The deadline of a route whose work grows with the log, in ms. */
  readonly deadlineMs?: number;
  readonly onlyActivePartners?: boolean;
  readonly onlySandboxPartners?: boolean;
  /** A key that has ended may repeat a call of this route that it made before, by its Idempotency-Key. */
  readonly repeatableWithEndedKey?: boolean;
  readonly readsPersonalData?: boolean;
  readonly takesReason?: boolean;
  readonly changesNothing?: boolean;
  readonly servedInMaintenance?: boolean;
  /** The body is a list of up to 1 MiB, and the partner's calls of such routes that run at once are limited. */
  readonly takesMany?: boolean;
  /** The body is a file with a table, in place of JSON. */
  readonly takesTable?: boolean;
  readonly reads?: NeededReadModels;
  readonly takesMergePatch?: boolean;
}

/** The read models that a route needs, by name. */
export interface NeededReadModels {
  /** Those which a response shows whole: it waits for what is known to be in the log, and is refused if they do not show that. */
  readonly whole?: readonly string[];
  /** Those which a response may show as they were up to MAX_STALENESS_SECONDS before. */
  readonly recent?: readonly string[];
  /** Those for which the handler waits itself, until they show the streams that it reads. */
  readonly awaited?: readonly string[];
  /**
   * Those which the response to a change shows as they are, once the change is recorded. Nothing waits for them, so that a partner can be
   * deactivated while they lag.
   */
  readonly afterwards?: readonly string[];
}

const METADATA = RouteConfig({}).KEY;

/** Adds rules to a route. */
export function withRules(rules: RouteRules): MethodDecorator {
  return (target, name, descriptor) => {
    const known = (Reflect.getMetadata(METADATA, descriptor.value as object) ?? {}) as RouteRules;
    RouteConfig({ ...known, ...rules })(target, name, descriptor);
  };
}

export const JSON_TYPE = 'application/json';
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** Declares that the body of a route may be sent as what it is, a JSON merge patch (RFC 7396), and as JSON. */
export const TakesMergePatch: MethodDecorator = applyDecorators(
  withRules({ takesMergePatch: true }),
  ApiConsumes(JSON_TYPE, MERGE_PATCH_TYPE),
);

/** Declares the read models that a route needs (admin, "Ready means"). A test compares that with what its statements read. */
export function Reads(models: NeededReadModels): MethodDecorator {
  return withRules({ reads: models });
}

/** Returns the rules of a request's route. */
export function rulesOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): RouteRules {
  // A request that the router did not find a route for may have no configuration.
  return (routeOptions.config as RouteRules | undefined) ?? {};
}

/** Returns the read models that a handler declares. */
export function declaredReadsOf(handler: object): NeededReadModels {
  return ((Reflect.getMetadata(METADATA, handler) ?? {}) as RouteRules).reads ?? {};
}
