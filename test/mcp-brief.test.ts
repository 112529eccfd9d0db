import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { mcpTools, type McpTools } from '../core/mcp/mcp-tools.ts';
import { localExecutor } from '../core/tools/local-executor.ts';
import { junitText } from '../modules/testmgmt/testing/junit-text.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../modules/testmgmt/testing/testmgmt-kernel.ts';

/* The cost for a model of a list that it requested without a limit. @see issue 13, 50 */

let trivet: TestmgmtKernel;
let mcp: McpTools;
let projectId: number;
let runId: number;

beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  const { modules, host } = trivet.kernel;
  mcp = mcpTools(localExecutor(trivet.kernel, trivet.owner, {}, 'mcp'), { modules, cut: {}, log: host.log });
  projectId = await trivet.makeProject();
  const cases = Array.from({ length: 60 }, (_, n) => ({
    name: `places order number ${n} with a voucher`,
    ...(n % 5 === 0
      ? { failed: `expected 200 to be 500\n${'    at place (src/order.ts:14:5)\n'.repeat(20)}` }
      : {}),
    properties: { owner: 'checkout' },
  }));
  const report = await trivet.call('ingest-results', {
    projectId,
    files: [{ name: 'a.xml', content: junitText({ 'checkout/order.test.ts': cases }) }],
  });
  runId = Number(report['runId']);
});
afterAll(() => trivet.stop());

const told = async (tool: string, input: object) => {
  const { signal } = new AbortController();
  const { content, structuredContent } = await mcp.call(tool, { ...input }, { signal });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const file = content.find((one) => one.type === 'resource');
  return {
    data: structuredContent as Record<string, unknown>,
    tokens: encode(text).length + (file ? encode(JSON.stringify(file)).length : 0),
  };
};

describe('a list over MCP has 20 rows and few fields unless more is asked for', () => {
  test.each<[string, () => object, string, number]>([
    ['get-tests', () => ({ projectId }), 'tests', 1_500],
    ['get-run-tests-list', () => ({ projectId, runId }), 'tests', 3_500],
    ['get-run-test-status', () => ({ projectId, runId }), 'tests', 3_500],
    ['get-run-results', () => ({ projectId, runId }), 'results', 3_500],
    ['download-tests', () => ({ projectId }), 'tests', 6_000],
    ['get-test-status-history', () => ({ projectId, testId: 1 }), 'history', 600],
  ])('%s', async (tool, input, plural, budget) => {
    const { data, tokens } = await told(tool, input());
    expect((data[plural] as unknown[]).length).toBeLessThanOrEqual(20);
    expect(tokens).toBeLessThan(budget);
    if (Number(data['total']) > 20) expect(data['nextOffset']).toBe(20);
  });

  test('more is given to who asks', async () => {
    const { data } = await told('get-tests', { projectId, limit: 60, fields: ['*'] });
    expect(data['nextOffset']).toBeUndefined();
    expect(data['tests']).toHaveLength(60);
    expect((data['tests'] as object[])[0]).toHaveProperty('createdAt');
    const whole = await told('download-tests', { projectId, limit: 100, offset: 20 });
    expect(whole.data['tests']).toHaveLength(40);
    const csv = await told('download-tests', { projectId, format: 'csv' });
    expect(csv.tokens).toBeLessThan(4_000);
    // A table cannot say itself that it has a part.
    expect(csv.data).toMatchObject({ mediaType: 'text/csv; charset=utf-8', total: 60, nextOffset: 20 });
    const last = await told('download-tests', { projectId, format: 'csv', limit: 100 });
    expect(last.data).toMatchObject({ total: 60 });
    expect(last.data).not.toHaveProperty('nextOffset');
  });

  test('HTTP and the command line answer as before', async () => {
    const { tests } = await trivet.call('get-tests', { projectId });
    expect(tests).toHaveLength(50);
    expect((tests as object[])[0]).toHaveProperty('createdAt');
    const { results } = await trivet.call('get-run-results', { projectId, runId });
    expect(results).toHaveLength(50);
    expect((results as object[])[0]).toHaveProperty('attempts');
  });
});
