import { beforeAll, expect, test } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compiled, requireBuilt } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/* The configuration that docs/agents.md and the skill offer for copying is read as the agents' programs read it, and run. */
beforeAll(requireBuilt);
const root = join(import.meta.dir, '..');
const page = readFileSync(join(root, 'docs', 'agents.md'), 'utf8');
const skill = readFileSync(join(root, 'examples', 'agents', 'SKILL.md'), 'utf8');

interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
}
type Configuration = Readonly<Record<string, { readonly trivet?: Entry }>>;

const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
const configurations: readonly Configuration[] = [
  ...blocks(page, 'json').map((block) => JSON.parse(block) as Configuration),
  ...blocks(page, 'toml').map((block) => Bun.TOML.parse(block) as Configuration),
];
const entries = configurations.map((one) => {
  const [key = ''] = Object.keys(one);
  return { key, ...one[key]?.trivet };
});
const executable = compiled.command[0] ?? '';
const path = `${dirname(executable)}:${process.env['PATH'] ?? ''}`;

test('every configuration names a program or an address', () => {
  expect(entries.length).toBe(8);
  for (const { key, command, url } of entries) {
    expect(['mcpServers', 'servers', 'mcp_servers']).toContain(key);
    expect([command, url].filter((one) => one !== undefined)).toHaveLength(1);
    expect(command ?? 'trivet').toBe('trivet');
    expect(url ?? 'https://trivet.example/mcp').toBe('https://trivet.example/mcp');
  }
});

test('a client that starts the program of the page gets the tools', async () => {
  const [local, ...others] = entries.filter(({ args }) => args?.includes('--data'));
  expect(others.map(({ args }) => args)).toEqual(others.map(() => local?.args));
  const data = temporaryDirectory('agent');
  const args = (local?.args ?? []).map((word) => (word === '/var/lib/trivet' ? data : word));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: executable, args, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('get-tests');
  await client.close();
});

test('every command of the skill works, one after the other', () => {
  const commands = blocks(skill, 'sh')
    .flatMap((block) => block.split('\n'))
    .filter((line) => line !== '');
  expect(commands.length).toBeGreaterThanOrEqual(10);
  const env = { PATH: path, TRIVET_DATA: temporaryDirectory('skill') };
  Bun.spawnSync(['bash', '-c', 'trivet token create --email a@example.org --name x'], { env });
  for (const command of commands) {
    const { exitCode, stderr } = Bun.spawnSync(['bash', '-c', command], { env });
    expect({ command, exitCode, stderr: stderr.toString() }).toEqual({ command, exitCode: 0, stderr: '' });
  }
});
