import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { serverOf } from '../core/mcp/era-2025.ts';
import { mcpTools } from '../core/mcp/mcp-tools.ts';
import { defaultToolsets } from '../core/mcp/tool-offer.ts';
import { localExecutor } from '../core/tools/local-executor.ts';
import type { NamedTool } from '../core/tools/executor.ts';
import { toolFiles } from '../modules/testmgmt/tools/tool-files.ts';
import { startTestKernel, type TestKernel } from './kernel.ts';
import { settled } from './rejection.ts';

/* What an MCP client sees of us before its first call. docs/operations.md has the same content, where a review sees changes. */

/** The cost for a model of the list on every turn, without and with the schemas of the results, which clients may withhold. */
const tokenBudget = { withoutOutput: 6_000, whole: 13_500 };

let trivet: TestKernel;
let tools: Tool[];
beforeAll(async () => {
  trivet = await startTestKernel();
  const { modules, host, identity } = trivet.kernel;
  const owner = await identity.local(host, undefined);
  const cut = { toolsets: defaultToolsets(modules) };
  const executor = localExecutor(trivet.kernel, owner, cut);
  const server = serverOf(mcpTools(executor, { modules, cut, log: host.log }));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  ({ tools } = await client.listTools());
  await client.close();
});
afterAll(() => trivet.stop());

test('MCP lists the default toolset in the order of its declarations', () => {
  const wanted = toolFiles
    .flatMap((file): readonly NamedTool[] => file.tools)
    .filter(({ toolset, alsoIn }) => [toolset, alsoIn].includes('testmgmt'));
  const rank = ({ toolset }: NamedTool) => (toolset === 'testmgmt' ? 0 : 1);
  const inOrder = wanted.toSorted((a, b) => rank(a) - rank(b)).map(({ name }) => name);
  const listed = tools.map(({ name }) => name);
  expect(listed.slice(0, 46)).toEqual(inOrder.slice(0, 46));
  expect(listed.toSorted()).toEqual(inOrder.toSorted());
});

test('the list costs a model few tokens', () => {
  const cost = (list: unknown) => encode(JSON.stringify(list)).length;
  expect(cost(tools)).toBeLessThanOrEqual(tokenBudget.whole);
  expect(cost(tools.map((tool) => ({ ...tool, outputSchema: undefined })))).toBeLessThanOrEqual(
    tokenBudget.withoutOutput,
  );
});

test('an agent reads that a section does not include those below it, unlike in a query', () => {
  const [shown] = tools
    .filter(({ name }) => name === 'get-tests')
    .map(
      ({ inputSchema }) => (inputSchema.properties ?? {})['sectionId'] as { readonly description?: string },
    );
  expect(shown?.description).toMatch(/below.*section:/);
});

/** @see `trivet call save-view --help` did not say which lists there are, and docs/operations.md had nothing: both read `enum`. */
test('a choice of words is told as an enum', async () => {
  const text = await (await trivet.fetch('/openapi.json')).text();
  expect(text.match(/"anyOf":\[\{"const":"[^\]]*\]/g)).toBeNull();
});

test('every tool has the schema of its data', () => {
  expect(tools.filter(({ outputSchema }) => outputSchema?.type !== 'object')).toEqual([]);
});

test('no tool is told a limit that no number reaches; the limit is checked all the same', async () => {
  expect(JSON.stringify(tools)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  const owner = await trivet.kernel.identity.local(trivet.kernel.host, undefined);
  const call = localExecutor(trivet.kernel, owner, {}).call(
    'get-tests',
    { projectId: Number.MAX_SAFE_INTEGER + 2 },
    { signal: AbortSignal.timeout(5_000) },
  );
  expect(await settled(call)).toThrow('projectId must be at most 9007199254740991');
});
