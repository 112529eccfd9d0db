import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startTestKernel, type TestKernel } from '../../test/kernel.ts';
import { signedIn } from '../base/actor.ts';
import { closedObject } from '../base/schema.ts';
import { exposition } from '../metrics/exposition.ts';
import { defineModule } from '../module/module.ts';
import { localExecutor } from '../tools/local-executor.ts';
import { operation } from '../tools/operation.ts';
import { mcpTools } from './mcp-tools.ts';

const long = defineModule({
  name: 'long',
  operations: (['aborted', 'broken'] as const).map((kind) =>
    operation({
      name: `long-${kind}`,
      toolset: 'long',
      title: kind,
      description: kind,
      input: closedObject({}),
      output: closedObject({}),
      access: signedIn(),
      effect: 'read',
      handler: async (_input, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        if (kind === 'broken') throw new TypeError('not because of the signal');
        signal.throwIfAborted();
        return {};
      },
    }),
  ),
});

let trivet: TestKernel;
beforeAll(async () => void (trivet = await startTestKernel({ plugins: [long] })));
afterAll(() => trivet.stop());

// Clients send any text as the reason of notifications/cancelled, which the SDK makes the reason of the signal.
test.each([
  ['long-aborted', 'the person pressed Esc', 0, 'CLIENT_LEFT'],
  ['long-aborted', undefined, 0, 'CLIENT_LEFT'],
  ['long-broken', 'the person pressed Esc', 1, 'INTERNAL'],
] as const)(
  '%s that was cancelled for %p logs %p failures and counts %s',
  async (name, reason, logged, code) => {
    const { host, identity, modules } = trivet.kernel;
    const events: string[] = [];
    const log = { ...host.log, error: (event: string) => void events.push(event) };
    const owner = await identity.local(host, undefined);
    const tools = mcpTools(localExecutor(trivet.kernel, owner, {}, 'mcp'), { modules, cut: {}, log });
    const counted = () => {
      const line = `trivet_operations_total{operation="${name}",surface="mcp",code="${code}"} `;
      const { text } = exposition([{ metrics: trivet.counts.snapshot() }], null);
      const found = text.split('\n').find((one) => one.startsWith(line));
      return Number(found?.slice(line.length) ?? 0);
    };
    const before = counted();
    const cancelled = new AbortController();
    const answer = tools.call(name, {}, { signal: cancelled.signal });
    setTimeout(() => cancelled.abort(reason), 20);
    expect((await answer).isError).toBe(true);
    expect(events).toEqual(Array.from({ length: logged }, () => 'tool_failed'));
    expect(counted()).toBe(before + 1);
  },
);
