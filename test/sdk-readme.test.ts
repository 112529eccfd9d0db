import { afterAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../sdk/package.json';
import { sdkArchive, sdkArchiveName } from '../release/sdk/sdk-package.ts';
import { compiled, serveTrivet, type Running } from './executable.ts';
import { root } from './imports.ts';
import { temporaryDirectory } from './temporary.ts';

/* A new user follows sdk/README.md, "From nothing to a shown CTA", word by word. */
const page = readFileSync(join(root, 'sdk', 'README.md'), 'utf8');
const [, section = ''] = /\n## From nothing to a shown CTA\n([^]*?)\n## /.exec(page) ?? [];
const blocks = [...section.matchAll(/```(\w+)\n([^]*?)```/g)].map(([, language = '', text = '']) => ({
  language,
  text: text.replace(/^ {3}/gm, ''),
}));
const [serve, install, run] = blocks.filter(({ language }) => language === 'sh');
const program = blocks.find(({ language }) => language === 'js');
const output = blocks.find(({ language }) => language === 'text');

let running: Running | undefined;
afterAll(() => running?.stop());

test('from npm install of the archive to a shown CTA, by the README alone', async () => {
  const began = performance.now();
  const folder = temporaryDirectory('app');
  const name = sdkArchiveName(packageJson.version);
  expect(install?.text).toContain(`npm install ./${name}`);
  await Bun.write(join(folder, name), await sdkArchive(new Date(0)));

  const [command, ...words] = serve?.text.trim().split(' ') ?? [];
  expect(command).toBe('trivet');
  expect(words[0]).toBe('serve');
  // A test needs a data directory and a port of its own.
  const given = words.slice(1).map((word) => (word === './shop-data' ? join(folder, 'shop-data') : word));
  running = await serveTrivet(compiled, ['--port', '0', ...given]);

  const shell = async (text: string) => {
    const child = Bun.spawn(['bash', '-e', '-c', text], {
      cwd: folder,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      // Without a registry: the package has no dependencies.
      env: { ...process.env, npm_config_offline: 'true' },
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { out, err, exitCode: await child.exited };
  };
  const installed = await shell(install?.text ?? '');
  expect([installed.exitCode, installed.exitCode === 0 ? '' : installed.err]).toEqual([0, '']);
  const source = program?.text.replace('http://127.0.0.1:8787', running.origin) ?? '';
  await Bun.write(join(folder, 'app.mjs'), source);
  const ran = await shell(run?.text ?? '');
  expect(ran).toEqual({ out: output?.text ?? 'no output in the README', err: '', exitCode: 0 });
  expect(performance.now() - began).toBeLessThan(300_000);
}, 300_000);
