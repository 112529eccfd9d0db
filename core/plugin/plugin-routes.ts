import type { Elysia } from 'elysia';
import { Fault, UsageError } from '../base/errors.ts';
import { storageFault } from '../base/foreign-errors.ts';
import { PluginFailure } from '../base/plugin-failure.ts';

type Handler = (context: unknown) => unknown;

/** The methods of Elysia that add a route. */
const adding = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'all']);

/**
 * The app for a plugin: errors of its routes name the plugin, and an existing route is refused, since it would silently be replaced.
 * @throws UsageError from the method that adds the route.
 */
export function nameRoutes(name: string, app: Elysia): Elysia {
  const guarded: Elysia = new Proxy(app, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      if (!adding.has(String(property))) return member.bind(target) as unknown;
      return (path: string, handler: unknown, ...rest: unknown[]) => {
        const method = String(property).toUpperCase();
        if (app.routes.some((route) => route.path === path && route.method === method))
          throw new UsageError(`the route ${method} ${path} exists already.`);
        const given = typeof handler === 'function' ? namedHandler(name, handler as Handler) : handler;
        Reflect.apply(member, target, [path, given, ...rest]);
        return guarded;
      };
    },
  });
  return guarded;
}

const namedHandler =
  (name: string, handler: Handler): Handler =>
  async (context) => {
    try {
      return await handler(context);
    } catch (error) {
      throw storageFault(error) instanceof Fault ? error : PluginFailure.of(name, error);
    }
  };
