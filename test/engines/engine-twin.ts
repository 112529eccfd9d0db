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
  const told: Told[] = [];
  let arrived = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, '--no-env-file', join(import.meta.dir, 'engine-child.ts')], {
    env: { ...process.env, TRIVET_TEST_ENGINE: engine },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    // As over HTTP: what JSON cannot say is not compared.
    serialization: 'json',
    ipc: (message: Told) => {
      told.push(message);
      arrived.resolve();
    },
    onExit: (_child, code) => arrived.reject(new Error(`the process on ${engine} ended with ${code}`)),
  });
  // An end that nobody waits for is not an error.
  arrived.promise.catch(() => {});
  const next = async (): Promise<Told> => {
    await arrived.promise;
    const first = told.shift();
    arrived = Promise.withResolvers();
    arrived.promise.catch(() => {});
    if (first === undefined) throw new Error(`the process on ${engine} told nothing`);
    return first;
  };
  const first = await next();
  if (!('tools' in first)) throw new Error(`the process on ${engine} has not said its tools`);
  return {
    tools: first.tools,
    ask: async (asked) => {
      child.send(asked);
      const answer = await next();
      if ('tools' in answer) throw new Error(`the process on ${engine} started twice`);
      return answer;
    },
    stop: async () => {
      child.disconnect();
      await child.exited;
    },
  };
}
