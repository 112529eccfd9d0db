import type { ShortCall } from '../../module/module.ts';
import { openExecutor, type Invocation } from '../invocation/invocation.ts';
import { printResult } from '../invocation/result-output.ts';

/** Longer than any tool that reads may take. */
const longestMs = 150_000;

/** Runs a short form of a tool, e.g. `trivet tests "label:smoke"`, on a data directory or another server. */
export async function runShortCall(invocation: Invocation, short: ShortCall): Promise<number> {
  const { tool, uses, argumentsOf, columns } = short;
  const executor = await openExecutor(invocation, { mode: 'check', only: [tool, ...uses] });
  const call = (name: string, input: object) =>
    executor.call(name, input, { signal: AbortSignal.timeout(longestMs) });
  try {
    const { config } = invocation;
    return await printResult(
      await call(tool, await argumentsOf(config.words.join(' '), config, call)),
      config,
      columns,
    );
  } finally {
    await executor.close();
  }
}
