import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import 'reflect-metadata';
import { declaredReadsOf } from '../../src/http/route-rules.js';

/** Returns the names of the read models that each route declares, by method and path as in the OpenAPI document. */
export function declaredReads(modules: readonly Type[]): ReadonlyMap<string, readonly string[]> {
  const controllers = modules.flatMap((module) => (Reflect.getMetadata('controllers', module) ?? []) as Type[]);
  return new Map(controllers.flatMap(readsOf));
}

function readsOf(controller: Type): [route: string, models: readonly string[]][] {
  const prefix = Reflect.getMetadata(PATH_METADATA, controller) as string;
  const { prototype } = controller as { prototype: Record<string, object> };
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    const method = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
    if (!handler || method === undefined) return [];
    const path = `/${prefix}/${Reflect.getMetadata(PATH_METADATA, handler) as string}`.replaceAll(/\/+/g, '/').replace(/(.)\/$/, '$1');
    const { whole = [], recent = [], awaited = [], afterwards = [] } = declaredReadsOf(handler);
    return [
      [
        `${RequestMethod[method]} ${path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{path}')}`,
        [...whole, ...recent, ...awaited, ...afterwards],
      ],
    ];
  });
}
