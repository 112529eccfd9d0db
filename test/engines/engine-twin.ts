import { join } from 'node:path';
import type { Engine } from '../../core/db/query/engine.ts';
import type { Tool } from '../fuzz/requests.ts';

/** A call for the process of an engine, after its clock has advanced. */
export interface Asked {
  readonly tool: string;
  readonly input: unknown;
  readonly passMs: number;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export type Answer =
  | { readonly result: unknown }
  | { readonly refused: Refusal }
  /** Thrown, and no {@link Refusal}: a fault of ours. */
  | { readonly broken: string };

export type Told = Answer | { readonly tools: readonly Tool[] };

/** A process that calls tools on one engine. */
export interface Twin {
  readonly tools: readonly Tool[];
  ask(asked: Asked): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startTwin(engine: Engine): Promise<Twin> {
  // It tells once what tools there are, then once for each call.
  let told = Promise.withResolvers<Told>();
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'engine-child.ts')], {
    env: { ...process.env, TRIVET_TEST_ENGINE: engine },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    // As over HTTP: what JSON cannot say is not compared.
    serialization: 'json',
    ipc: (message: Told) => told.resolve(message),
    onExit: (_child, code) => told.reject(new Error(`the process on ${engine} ended with ${code}`)),
  });
  const first = await told.promise;
  if (!('tools' in first)) throw new Error(`the process on ${engine} has not said its tools`);
  return {
    tools: first.tools,
    ask: async (asked) => {
      told = Promise.withResolvers();
      child.send(asked);
      const answer = await told.promise;
      if ('tools' in answer) throw new Error(`the process on ${engine} started twice`);
      return answer;
    },
    stop: async () => {
      child.disconnect();
      await child.exited;
    },
  };
}
