import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { mcpTools, type ListedTool, type McpTools } from '../../../core/mcp/mcp-tools.ts';
import { localExecutor } from '../../../core/tools/local-executor.ts';
import { makeAskedProject, type AskedProject } from './asked-project.ts';
import { startTestmgmtKernel } from './testmgmt-kernel.ts';
import type { AskTool } from './question-kinds.ts';
import { thirtyQuestions } from './thirty-questions.ts';

/*
 * Questions that people ask, answered over MCP by a program that knows only the list of tools: in at most two calls, each of which costs a
 * model at most 2,000 tokens. The answer must equal the one computed from everything that was sent.
 *
 * Mutation note: seen to fail when the last 15 outcomes count instead of 20, when compare-runs takes blocked for failed, and when a list is
 * one row short.
 */
const [mostCalls, mostTokens] = [2, 2_000];

let trivet: Awaited<ReturnType<typeof startTestmgmtKernel>>;
let tools: McpTools;
let list: readonly ListedTool[];
let project: AskedProject;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  project = await makeAskedProject(trivet);
  const { kernel, owner } = trivet;
  const cut = { toolsets: ['testmgmt', 'insights'] };
  tools = mcpTools(localExecutor(kernel, owner, cut), { modules: kernel.modules, cut, log: kernel.host.log });
  list = await tools.list();
}, 120_000);
afterAll(() => trivet.stop());

test('there are at least thirty, on 5,000 tests and 40 runs', () => {
  expect(thirtyQuestions.length).toBeGreaterThanOrEqual(30);
  expect([project.all.length, project.runs.length]).toEqual([5_000, 40]);
});

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Checks that a call uses only what the list of tools describes: parameters, result fields, and query fields that it names. */
function checkKnown(tool: string, args: Readonly<Record<string, unknown>>): void {
  const found = list.find(({ name }) => name === tool);
  const parameters = (found?.inputSchema as Schema | undefined)?.properties ?? {};
  expect(Object.keys(args).filter((name) => !parameters[name])).toEqual([]);
  const records = Object.values((found?.outputSchema as Schema | undefined)?.properties ?? {}).find(
    ({ items }) => items,
  );
  for (const field of (args['fields'] ?? []) as readonly string[])
    expect(Object.keys(records?.items?.properties ?? {})).toContain(field);
  const queries = list
    .flatMap(({ inputSchema }) => (inputSchema as Schema).properties?.['query']?.description ?? [])
    .join('\n');
  for (const [, field] of String(args['query'] ?? '').matchAll(/(?<![\w"])([a-z]+(?:-[a-z]+)*):/g))
    expect(queries).toMatch(new RegExp(`(?<![a-z-])${field}(?![a-z-])`));
}

describe('a program answers', () => {
  test.each(thirtyQuestions.map((one) => [one.question, one] as const))(
    '%s',
    async (_question, { ask, read }) => {
      const costs: number[] = [];
      const call: AskTool = async (tool, args) => {
        checkKnown(tool, args as Record<string, unknown>);
        const { content, structuredContent, isError } = await tools.call(
          tool,
          args as Record<string, unknown>,
          {
            signal: AbortSignal.timeout(30_000),
          },
        );
        const [first] = content;
        const text = first?.type === 'text' ? first.text : '';
        expect([isError, text]).toEqual([undefined, text]);
        costs.push(encode(text).length);
        return structuredContent ?? {};
      };
      const about = {
        projectId: project.projectId,
        runId: project.talkedOf.id,
        testId: project.talkedOfTest,
      };
      const answer = await ask(call, about);
      const expected = read(project);
      expect(answer).toEqual(expected as never);
      // A question with an empty answer tests nothing.
      expect(JSON.stringify(expected)).not.toMatch(/^\[\]$|"total":0/);
      expect(costs.length).toBeLessThanOrEqual(mostCalls);
      expect(costs.filter((cost) => cost > mostTokens)).toEqual([]);
    },
  );
});
