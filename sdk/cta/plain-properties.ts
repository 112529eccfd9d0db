import type { Environment } from '../base/environment.ts';

type Properties = Readonly<Record<string, unknown>>;

/**
 * The properties of an event as JSON can hold them: they may be stored and sent, and an object must not change afterwards. A value that JSON
 * cannot hold (a function, a circle) is left out, which is reported.
 */
export function plainProperties(given: unknown, environment: Environment): Properties {
  const properties: Record<string, unknown> = {};
  if (typeof given !== 'object' || given === null) return properties;
  for (const name of Object.keys(given)) {
    try {
      const value = (given as Properties)[name];
      const plain: unknown =
        typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
      if (typeof plain === 'bigint') properties[name] = String(plain);
      else if (typeof plain !== 'function' && typeof plain !== 'symbol' && plain !== undefined) {
        properties[name] = plain;
      }
    } catch (error) {
      environment.report('PROPERTY_LEFT_OUT', `A property of an event is no JSON: ${name}.`, error);
    }
  }
  return properties;
}
