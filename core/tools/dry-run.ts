import { Type, type TObject, type TSchema } from '@sinclair/typebox';
import type { Context } from '../host/host.ts';
import { inOneTx } from './idempotency.ts';

/*
 * A dry run is the write itself, in a transaction that is rolled back: it is refused if the write would be, and returns the same result. So
 * no operation needs separate code for it.
 */

const parameter = Type.Optional(
  Type.Boolean({ default: false, description: 'Only try: nothing is written.' }),
);

/** Whether a call is a dry run. Operations with their own implementation use the same parameter name. */
export const isDryRun = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && (input as { readonly dryRun?: unknown }).dryRun === true;

/** The call that a dry run tries. */
export function withoutDryRun(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const { dryRun: _, ...rest } = input as { readonly dryRun?: unknown };
  return rest;
}

interface Rehearsable {
  readonly input: TObject;
  readonly output: TSchema;
  readonly handler: (input: never, ctx: Context) => Promise<unknown>;
}

/** The operation with the parameter `dryRun`, unless it has one. */
export function withDryRun<T extends Rehearsable>(declared: T): T {
  if ('dryRun' in declared.input.properties) return declared;
  const { input, output, handler } = declared;
  const withParameter = <S extends TSchema>(schema: S): S =>
    Array.isArray(schema['anyOf'])
      ? { ...schema, anyOf: (schema['anyOf'] as readonly TSchema[]).map(withParameter) }
      : schema['type'] === 'object' && schema['properties'] !== undefined
        ? { ...schema, properties: { ...(schema['properties'] as object), dryRun: parameter } }
        : schema;
  return {
    ...declared,
    input: withParameter(input),
    output: withParameter(output),
    handler: async (given: { readonly dryRun?: boolean }, ctx: Context) => {
      const { dryRun, ...rest } = given;
      if (dryRun !== true) return handler(rest as never, ctx);
      const answer = await rehearsed(ctx, (context) => handler(rest as never, context));
      return typeof answer === 'object' && answer !== null ? { ...answer, dryRun: true } : answer;
    },
  };
}

/** Carries the result out of the transaction and aborts it. */
class Rehearsed extends Error {
  constructor(readonly value: unknown) {
    super('a dry run writes nothing');
  }
}

async function rehearsed(ctx: Context, work: (ctx: Context) => Promise<unknown>): Promise<unknown> {
  try {
    return await inOneTx(ctx.db, async (db): Promise<never> => {
      // The after-commit effects do not run here.
      throw new Rehearsed(await work({ ...ctx, db, afterCommit: () => {}, wrote: () => {} }));
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.value;
    throw error;
  }
}
