import { beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

describe('a hostile current directory', () => {
  // Agents start Trivet in strangers' repositories: no file there may run or configure anything.
  test('nothing of it runs inside the executable', async () => {
    const cwd = temporaryDirectory('hostile');
    const mark = join(cwd, 'RAN');
    writeFileSync(join(cwd, 'preload.ts'), `require('node:fs').writeFileSync(${JSON.stringify(mark)}, 'x');`);
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
    writeFileSync(
      join(cwd, '.env'),
      `TRIVET_PORT=1\nTRIVET_UNKNOWN=1\nNODE_OPTIONS=--require=./preload.ts\n`,
    );
    writeFileSync(join(cwd, 'tsconfig.json'), '{"compilerOptions":{"paths":{"elysia":["./preload.ts"]}}}');
    writeFileSync(join(cwd, 'package.json'), '{"type":"module","imports":{"#x":"./preload.ts"}}');
    mkdirSync(join(cwd, 'node_modules', 'elysia'), { recursive: true });
    writeFileSync(join(cwd, 'node_modules', 'elysia', 'index.js'), readFileSync(join(cwd, 'preload.ts')));
    const data = temporaryDirectory('hostile-data');
    const made = ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=x', '--data', data];
    const called = await runTrivet(compiled, made, { cwd });
    expect(called).toMatchObject({ exitCode: 0 });
    const server = await serveTrivet(compiled, ['--data', data], { cwd });
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    await server.stop();
    expect(existsSync(mark)).toBe(false);
  });
});
