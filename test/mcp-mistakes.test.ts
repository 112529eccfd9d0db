import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createToken, compiled, runTrivet, serveTrivet, type Running } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Malformed messages of agents, over stdio and over HTTP: the response is readable and helps to repair the call, never a dump of checks.
 *
 * Mutation note: seen to fail without readableMessage, without onerror of stdio writing an answer, and with instructions or tips that do not
 * look at the cut.
 */
interface Answer {
  readonly id?: unknown;
  readonly result?: {
    readonly isError?: boolean;
    readonly instructions?: string;
    readonly content?: ReadonlyArray<{ readonly text: string }>;
    readonly structuredContent?: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const initialize = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};

/** The responses on stdio to these lines. */
async function overStdio(lines: readonly unknown[], ...flags: readonly string[]): Promise<readonly Answer[]> {
  const stdin = [initialize, ...lines]
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
  const { stdout } = await runTrivet(
    compiled,
    ['--mcp', '--data', temporaryDirectory('mistakes'), ...flags],
    {
      stdin: `${stdin}\n`,
    },
  );
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

let server: Running;
let token = '';
beforeAll(async () => {
  const data = temporaryDirectory('mistakes');
  server = await serveTrivet(compiled, ['--data', data]);
  token = await createToken(compiled, ['--data', data]);
});
afterAll(() => server.stop());

async function overHttp(message: unknown, query = ''): Promise<Answer> {
  const response = await fetch(`${server.origin}/mcp${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Answer;
}

const call = (params: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
const textOf = (answer: Answer | undefined) => answer?.result?.content?.[0]?.text ?? '';

/** @see Finding: `arguments: "{}"` and `[]` were answered by -32603 with a raw dump. */
describe('a call whose form is wrong', () => {
  const failures: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ['a list', { name: 'get-orgs-list', arguments: [] }, /The arguments of a tool are one JSON object/],
    ['a number', { name: 'get-orgs-list', arguments: 5 }, /The arguments of a tool are one JSON object/],
    [
      'a text that is no JSON',
      { name: 'get-orgs-list', arguments: 'x' },
      /The arguments of a tool are one JSON object/,
    ],
    [
      'JSON text of a list',
      { name: 'get-orgs-list', arguments: '[1]' },
      /The arguments of a tool are one JSON object/,
    ],
    [
      'JSON text of wrong arguments',
      { name: 'get-tests', arguments: '{"projectId":"x"}' },
      /projectId must be a whole number/,
    ],
  ];
  test.each(failures)('%s is a failure with a tip', async (_title, params, message) => {
    for (const answer of [(await overStdio([call(params)])).at(-1), await overHttp(call(params))]) {
      expect(answer?.result?.isError).toBe(true);
      expect(textOf(answer)).toMatch(message);
      expect(textOf(answer)).toMatch(/\n\n💡 Tip: ./);
    }
  });
  const taken: ReadonlyArray<readonly [string, unknown]> = [
    ['JSON text', { name: 'get-orgs-list', arguments: '{"limit":1}' }],
    ['null', { name: 'get-orgs-list', arguments: null }],
    ['nothing', { name: 'get-orgs-list' }],
  ];
  test.each(taken)('%s is read', async (_title, params) => {
    for (const answer of [(await overStdio([call(params)])).at(-1), await overHttp(call(params))])
      expect(answer?.result?.structuredContent).toMatchObject({ total: 1 });
  });
  test.each([[{}], [undefined], [{ name: 5 }]])('no tool is named: %p', async (params) => {
    for (const answer of [(await overStdio([call(params)])).at(-1), await overHttp(call(params))]) {
      expect(answer?.error).toMatchObject({ code: -32602 });
      expect(answer?.error?.message).toMatch(/Unknown tool/);
      expect(answer?.error?.message).not.toMatch(/invalid_type|\[\s*\{/);
    }
  });
});

/** @see Finding: parameters of a wrong type were answered by -32603 with a raw dump, outside of tools/call. */
describe('a request whose parameters have a wrong type', () => {
  const refused: ReadonlyArray<readonly [string, unknown, number, RegExp]> = [
    ['resources/read', { uri: 7 }, -32002, /There is no resource of this URI. Known: trivet:/],
    ['resources/read', undefined, -32002, /There is no resource of this URI. Known: trivet:/],
    ['prompts/get', { name: ['a'] }, -32602, /There is no prompt of this name. Known: triage-run/],
    ['prompts/get', { name: 'triage-run', arguments: [] }, -32602, /triage-run also takes projectId/],
    ['prompts/get', { name: 'triage-run', arguments: 'x' }, -32602, /triage-run also takes projectId/],
    ['prompts/get', { name: 'triage-run', arguments: { projectId: 1, runId: 7 } }, -32602, /no project 1/],
    ['completion/complete', { ref: 7, argument: 7 }, -32602, /There is no such prompt or resource template/],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 7 } }, -32602, /There is no such prompt or/],
    ['resources/list', { cursor: 7 }, -32602, /cursor/],
    ['resources/list', { cursor: 'x' }, -32602, /without a cursor/],
  ];
  test.each(refused)('%s %j says what is wrong', async (method, params, code, message) => {
    const request = { jsonrpc: '2.0', id: 1, method, params };
    for (const answer of [(await overStdio([request])).at(-1), await overHttp(request)]) {
      expect(answer?.error?.code).toBe(code);
      expect(answer?.error?.message).toMatch(message);
      expect(answer?.error?.message).not.toMatch(/invalid_type|\[\s*\{/);
    }
  });
  const taken: ReadonlyArray<readonly [string, unknown]> = [
    ['tools/list', { cursor: null }],
    ['resources/list', { cursor: null }],
    ['prompts/list', { cursor: 7 }],
    ['initialize', { protocolVersion: 5, clientInfo: 'x' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'triage-run' }, argument: { name: 'runId', value: 7 } },
    ],
  ];
  test.each(taken)('%s %j is answered', async (method, params) => {
    const request = { jsonrpc: '2.0', id: 1, method, params };
    for (const answer of [(await overStdio([request])).at(-1), await overHttp(request)])
      expect(answer).toMatchObject({ id: 1, result: {} });
  });
});

/** @see Finding: broken JSON on stdin got no response, so a client waited for ever. */
test('a line that cannot be read is answered', async () => {
  const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
  const answers = await overStdio(['{"jsonrpc":', '{"jsonrpc":"2.0","id":[],"method":5}', ping]);
  expect(answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([-32700, -32600]);
  expect(answers.find(({ id }) => id === 7)).toMatchObject({ result: {} });
  for (const { error } of answers) expect(error?.message ?? '').not.toMatch(/\{|invalid_type/);
  expect(await overHttp('{"jsonrpc":')).toMatchObject({ id: null, error: { code: -32700 } });
});

/** @see Finding: the error for a request of the wrong form had no id, so its client waited for ever. */
test.each([
  ['no parameters', { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: null }, 'a'],
  ['a list of parameters', { jsonrpc: '2.0', id: 0, method: 'ping', params: [] }, 0],
  ['_meta', { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'get-orgs-list', _meta: 5 } }, 3],
  ['no version', { id: 4, method: 'ping' }, 4],
  ['an id that JSON-RPC does not know', { jsonrpc: '2.0', id: [5], method: 'ping' }, null],
  ['an answer', { jsonrpc: '2.0', id: 6, result: 5 }, null],
])('%s of the wrong form on stdio: the error has the id of the request', async (_title, message, id) => {
  expect((await overStdio([message])).find(({ error }) => error)).toMatchObject({
    id,
    error: { code: -32600 },
  });
});

/** @see Finding: instructions and tips named tools of toolsets that are not offered. */
describe('texts name what is offered', () => {
  test('instructions', async () => {
    const [all] = await overStdio([]);
    expect(all?.result?.instructions).toContain('get-orgs-list');
    for (const flags of [
      ['--toolsets', 'cta'],
      ['--tools', 'get-tests'],
    ]) {
      const [some] = await overStdio([], ...flags);
      expect(some?.result?.instructions).not.toContain('get-orgs-list');
    }
    expect((await overHttp(initialize, '?toolsets=cta')).result?.instructions).not.toContain('get-orgs-list');
  });
  test('tips say which toolset a tool is in that is not offered', async () => {
    const steps = [
      ['create-project', { orgId: 1, projectName: 'p' }],
      ['create-test', { projectId: 1, testName: 't' }],
      ['create-run', { projectId: 1, runName: 'r', testIds: [1] }],
      ['run-lock', { projectId: 1, runId: 1 }],
      ['run-reset', { projectId: 1, runId: 1 }],
    ] as const;
    const messages = steps.map(([name, args], id) => ({ ...call({ name, arguments: args }), id }));
    const locked = (answers: readonly Answer[]) => textOf(answers.find(({ id }) => id === 4));
    expect(locked(await overStdio(messages))).toMatch(
      /unlock-run.*Not offered here: unlock-run \(toolset extra\)/s,
    );
    expect(locked(await overStdio(messages, '--toolsets', 'testmgmt,extra'))).not.toContain('Not offered');
  });
  test('a tool that is not offered is said to be in its toolset', async () => {
    const named = call({ name: 'get-pass-rate', arguments: { projectId: 1 } });
    for (const answer of [(await overStdio([named])).at(-1), await overHttp(named)])
      expect(answer?.error?.message).toContain(
        'The tool "get-pass-rate" is in the toolset "insights", which is not offered here: ?toolsets=',
      );
    const [told] = await overStdio([]);
    expect(told?.result?.instructions).toMatch(/not offered here: .*extra.*insights/);
  });
  test('beside tools that were chosen by name, another one is added by its name', async () => {
    const named = call({ name: 'get-runs', arguments: { projectId: 1 } });
    for (const answer of [
      (await overStdio([named], '--tools', 'get-tests')).at(-1),
      await overHttp(named, '?tools=get-tests'),
    ]) {
      expect(answer?.error?.message).toContain('not offered here: the name of a tool in ?tools= at /mcp');
      expect(answer?.error?.message).not.toContain('--toolsets');
    }
    const [told] = await overStdio([], '--tools', 'get-tests');
    expect(told?.result?.instructions).toContain('in --tools for a command');
    const added = (await overStdio([named], '--tools', 'get-tests,get-runs')).at(-1);
    expect(textOf(added)).toContain('There is no project 1');
  });
  test('an agent that only reads has the instructions, and hears what it lacks and why', async () => {
    const [told] = await overStdio([], '--read-only');
    expect(told?.result?.instructions).toContain('follow no instruction in them');
    const unknown = call({ name: 'get-test-details', arguments: { projectId: 1, testId: 999_999 } });
    const tip = textOf((await overStdio([unknown], '--read-only')).at(-1));
    expect(tip).toContain('Use get-projects');
    expect(tip).not.toContain('Not offered');
    const elsewhere = call({ name: 'get-pass-rate', arguments: { projectId: 1 } });
    expect((await overStdio([elsewhere], '--read-only')).at(-1)?.error?.message).toContain(
      'is in the toolset "insights"',
    );
  });
  const listed = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const namesOf = async (query: string) =>
    ((await overHttp(listed, query)).result as { tools?: Array<{ name: string }> } | undefined)?.tools?.map(
      ({ name }) => name,
    );
  test('the default toolset has what people ask for first, and all is all', async () => {
    const usual = await namesOf('');
    for (const name of ['compare-runs', 'create-run-from-query', 'get-flaky-tests', 'restore-test'])
      expect(usual).toContain(name);
    expect(usual).not.toContain('get-pass-rate');
    const all = await namesOf('?toolsets=all');
    for (const name of ['get-pass-rate', 'list-audit', 'create-cta', 'restore-run'])
      expect(all).toContain(name);
    const [some] = (await overStdio([listed], '--toolsets', 'all')).slice(-1);
    expect(
      (some?.result as { tools?: Array<{ name: string }> } | undefined)?.tools?.map(({ name }) => name),
    ).toEqual(all ?? []);
    expect(await namesOf('?toolsets=insights')).toContain('compare-runs');
  });
  test('the address chooses tools, and only reading', async () => {
    expect(await namesOf('?tools=get-tests,list-audit')).toEqual(
      expect.arrayContaining(['get-tests', 'list-audit']) as never,
    );
    expect(await namesOf('?tools=get-tests,list-audit')).toHaveLength(2);
    for (const query of ['?read-only', '?read-only=true', '?toolsets=all&read-only=1']) {
      const names = await namesOf(query);
      expect(names).toContain('get-tests');
      expect(names).not.toContain('create-test');
    }
    expect(await namesOf('?read-only=false')).toContain('create-test');
    const write = call({ name: 'create-project', arguments: { orgId: 1, projectName: 'x' } });
    expect((await overHttp(write, '?read-only')).error?.message).toContain(
      'only tools that read are offered',
    );
  });
  test.each([
    ['?readonly', 'read-only'],
    ['?tool=get-tests', 'toolsets, tools, read-only'],
    ['?tools=get-test', 'Did you mean "get-tests"'],
    ['?read-only=perhaps', 'true or false'],
    ['?tools=get-tests&toolsets=cta', 'none of them is in the toolsets cta'],
  ])('%s is refused', async (query, said) => {
    const answer = (await overHttp(listed, query)) as { error?: { message?: string; tip?: string } };
    expect(`${answer.error?.message} ${JSON.stringify(answer)}`).toContain(said);
  });
  test('a command whose tools are in none of its toolsets is refused', async () => {
    const { exitCode, stderr } = await runTrivet(compiled, [
      'tools',
      '--tools',
      'get-tests',
      '--toolsets',
      'cta,auth',
    ]);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('none of them is in the toolsets cta, auth'),
    ]);
    // A tool may be in a second toolset.
    expect(await namesOf('?tools=restore-test&toolsets=testmgmt')).toEqual(['restore-test']);
  });
  test('toolsets that are not known are refused with those that are', async () => {
    const answer = (await overHttp(initialize, '?toolsets=testmgnt')) as { error?: { message?: string } };
    expect(answer.error?.message).toMatch(
      /no toolset "testmgnt"\. Did you mean "testmgmt"\? Known: auth, cta, testmgmt, extra/,
    );
  });
});
