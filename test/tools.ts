import { expect } from 'bun:test';
import type { Actor } from '../core/base/actor.ts';
import { Fault } from '../core/base/errors.ts';
import { check } from '../core/base/schema.ts';
import { isFile } from '../core/tools/file-answer.ts';
import { localExecutor } from '../core/tools/local-executor.ts';
import type { TestKernel } from './kernel.ts';

/** The tools of a kernel, called as its owner or as another user. */
export async function toolsOf({ kernel }: Pick<TestKernel, 'kernel'>) {
  const owner = await kernel.identity.local(kernel.host, undefined);

  /** Runs a tool and checks its result against its output schema. */
  const call = async (tool: string, input: object = {}, actor: Actor = owner) => {
    const output = await localExecutor(kernel, actor, {}).call(tool, input, {
      signal: AbortSignal.timeout(30_000),
    });
    const schema = kernel.operations.get(tool)?.output;
    if (schema && !isFile(output)) expect(check(schema, output)).toMatchObject({ ok: true });
    return output as Record<string, unknown>;
  };

  return {
    owner,
    call,
    /** The Fault with which a tool refuses; null if it does not refuse. */
    refusal: (tool: string, input: object, actor?: Actor): Promise<Fault | null> =>
      call(tool, input, actor).then(
        () => null,
        (error: unknown) => (error instanceof Fault ? error : Promise.reject(error as Error)),
      ),
  };
}
