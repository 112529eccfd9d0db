import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { commandsOf, settingsOf } from '../core/cli/line/command-list.ts';
import { kernelCommands } from '../core/cli/line/kernel-commands.ts';
import { loadModule, moduleSettings } from '../core/kernel/module-loading.ts';
import { clientSettings, coreSettings, type SettingTable } from '../core/settings/settings.ts';
import { nextStatuses } from '../modules/cta/rules/lifecycle.ts';
import { testStatuses } from '../modules/testmgmt/rules/test-status.ts';
import { builtIn } from '../modules/built-in.ts';

/*
 * The parts of the documents that a reader follows and copies: links work, commands, flags, tools and parameters exist, JSON and TOML
 * parse, and drawn states are those of the code. test/quick-start.test.ts and test/team-path.test.ts compare the output shown in sessions.
 */

const root = join(import.meta.dir, '..');
const pages = ['*.md', 'docs/**/*.md', 'examples/**/*.md']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** The anchors of headings, as Markdown renderers create them. */
const anchorsOf = (text: string) =>
  new Set(
    [...withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

const withoutBlocks = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

test('every page is reached from the README, and every one of docs from its index', () => {
  expect(pages.length).toBeGreaterThan(40);
  const reached = new Set(['README.md']);
  for (const path of reached) {
    const page = pages.find((one) => one.path === path);
    for (const [, target = ''] of withoutBlocks(page?.text ?? '').matchAll(/\]\(([^)#\s]+)/g))
      if (target.endsWith('.md')) reached.add(relative(root, resolve(root, dirname(path), target)));
  }
  const apart = /^(?:docs\/decisions|examples|AGENTS\.md)/;
  expect(pages.map(({ path }) => path).filter((path) => !reached.has(path) && !apart.test(path))).toEqual([]);
  const index = pages.find(({ path }) => path === 'docs/README.md')?.text ?? '';
  const unlisted = pages.filter(
    ({ path }) => /^docs\/[a-z-]+\.md$/.test(path) && !index.includes(`](${path.slice('docs/'.length)})`),
  );
  expect(unlisted.map(({ path }) => path)).toEqual([]);
});

test.each(pages.map(({ path, text }) => [path, text] as const))('links of %s', (path, text) => {
  const broken = [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^(?:https?|mailto):/.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? join(root, path) : resolve(root, dirname(path), file);
    if (!existsSync(target)) return [link];
    if (anchor === undefined || !target.endsWith('.md')) return [];
    return anchorsOf(readFileSync(target, 'utf8')).has(anchor) ? [] : [link];
  });
  expect(broken).toEqual([]);
});

test.each(pages.map(({ path, text }) => [path, text] as const))('JSON and TOML of %s', (_path, text) => {
  for (const block of blocksOf(text, 'json')) expect(() => JSON.parse(block) as unknown).not.toThrow();
  for (const block of blocksOf(text, 'toml')) expect(() => Bun.TOML.parse(block)).not.toThrow();
});

test('the README has at most 150 lines', () => {
  expect(pages.find(({ path }) => path === 'README.md')?.text.split('\n').length).toBeLessThanOrEqual(151);
});

describe('commands', async () => {
  const modules = await Promise.all(Object.values(builtIn).map(async (load) => load()));
  const whole = await Promise.all(modules.map((module) => loadModule(module)));
  const parametersOf = new Map(
    whole.flatMap(({ operations = [] }) =>
      operations.map(
        ({ name, input }) => [name, Object.keys((input['properties'] ?? {}) as object)] as const,
      ),
    ),
  );
  const own: ReadonlyArray<readonly [string, SettingTable]> = commandsOf(modules, kernelCommands).map(
    (command) => [command.name, settingsOf(command)],
  );
  const known = new Map(own);
  const shared = { ...coreSettings, ...clientSettings, ...moduleSettings(modules) };

  /** The mistake in a command shown on a page; null if it is correct. */
  function mistakeIn(command: string): string | null {
    // Pipes, redirections and substitutions belong to other programs. Values may contain anything.
    const [first = ''] = command
      .replaceAll(/-a '(\w+)=[^']*'/g, '-a $1=VALUE')
      .replaceAll(/'[^']*'|"[^"]*"/g, 'VALUE')
      .split(/ [|&;]+ | 2?> |\)(?: |$)| #/);
    const words = first.trim().split(/\s+/).slice(1);
    if (words.includes('--plugin')) return null;
    const plain = words.filter((word) => /^[a-z][a-z-]*$/.test(word));
    const [group = '', which = ''] = words;
    // The line printed at a start, and a list such as `trivet keys list|rotate`.
    if (group === 'listening') return null;
    if (which.includes('|') && !known.has(group))
      return which.split('|').every((one) => known.has(`${group} ${one}`)) ? null : `verbs ${which}`;
    if (words.length === 1 && own.some(([name]) => name.startsWith(`${group} `))) return null;
    const verb = [plain.slice(0, 2).join(' '), plain[0] ?? 'serve'].find((one) => known.has(one));
    const flags = words.flatMap((word) => /^--([a-z][a-z-]*)/.exec(word)?.[1] ?? []);
    if (verb === undefined && plain.length > 0 && !words[0]?.startsWith('-')) return `verb ${plain[0]}`;
    const settings = { ...shared, ...known.get(verb ?? 'serve') };
    const unknown = flags.find(
      (flag) =>
        !Object.hasOwn(settings, flag.replace(/-file$/, '')) &&
        !['help', 'mcp', 'version'].includes(flag) &&
        !Object.hasOwn(settings, flag),
    );
    if (unknown !== undefined) return `flag --${unknown}`;
    if (
      verb === 'token create' &&
      flags.includes('name') &&
      !flags.some((flag) => /^(?:email|user-id)$/.test(flag))
    )
      return 'a token of nobody';
    if (verb !== 'call') return null;
    const [, tool] = plain;
    if (tool === undefined) return null;
    const parameters = parametersOf.get(tool);
    if (!parameters) return `tool ${tool}`;
    // Arguments come by -a or --args: what stands right after the tool is refused.
    const after = words[words.indexOf(tool) + 1];
    if (after !== undefined && !after.startsWith('-')) return `${after} after ${tool}`;
    const given = words.flatMap((word, at) => (words[at - 1] === '-a' ? (word.split(/[=@]/)[0] ?? []) : []));
    const unread = given.find((name) => !parameters.includes(name));
    return unread === undefined ? null : `parameter ${unread} of ${tool}`;
  }

  test.each([
    'trivet frobnicate',
    'trivet serve --no-such-flag',
    'trivet token create --name ci',
    'trivet call get-rests',
    'trivet call get-tests -a testID=1',
    `trivet call get-tests '{"projectId": 1}'`,
  ])('a mistake is seen: %s', (command) => expect(mistakeIn(command)).not.toBeNull());

  test.each(pages.map(({ path, text }) => [path, text] as const))('of %s exist', (_path, text) => {
    const joined = text.replaceAll(/\\\n\s*/g, ' ');
    const shown = [
      ...[...joined.matchAll(/^ *```[a-z]*\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = '']) =>
        [...block.matchAll(/(?:^|[$(|] ?|[A-Z]=\S+ |\$ )(trivet [^\n]*)/gm)].map(
          ([, command = '']) => command,
        ),
      ),
      ...[...withoutBlocks(joined).matchAll(/`(trivet [^`]*)`/g)].map(([, command = '']) =>
        command.replaceAll('\n', ' '),
      ),
    ];
    const mistakes = shown.flatMap((command) => {
      const mistake = mistakeIn(command);
      return mistake === null ? [] : [`${command}: ${mistake}`];
    });
    expect(mistakes).toEqual([]);
  });
});

describe('the diagrams of docs/concepts.md', () => {
  const [ofCta = '', ofRun = ''] = blocksOf(
    pages.find(({ path }) => path === 'docs/concepts.md')?.text ?? '',
    'mermaid',
  );
  const arrows = (diagram: string) =>
    [...diagram.matchAll(/^ *(\S+) --> (\w+|\[\*\])(?:: .*)?$/gm)].map(
      ([, from = '', to = '']) => [from, to] as const,
    );

  test('the status of a CTA', () => {
    const drawn = arrows(ofCta).filter(([from, to]) => from !== '[*]' && to !== '[*]');
    const real = Object.entries(nextStatuses).flatMap(([from, all]) => all.map((to) => [from, to] as const));
    expect(drawn.map(String).toSorted()).toEqual(real.map(String).toSorted());
  });

  test('the status of a test and of a run', () => {
    const drawn = new Set(arrows(ofRun).flat());
    for (const status of [...testStatuses, 'active', 'locked']) expect(drawn.has(status)).toBe(true);
    expect(drawn.size).toBe(testStatuses.length + 3);
  });
});
