import { afterAll, expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '../../../core/base/actor.ts';
import { engine } from '../../../core/db/query/engine.ts';
import { compiled, fromSource, runTrivet, serveTrivet } from '../../../test/executable.ts';
import { startTestKernel } from '../../../test/kernel.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { toolsOf } from '../../../test/tools.ts';
import { downloadPlugin } from '../testing/download-plugin.ts';
import { backupDownload } from './backup-download.ts';

const trivet = await startTestKernel();
const tools = await toolsOf(trivet);
afterAll(() => trivet.stop());

const refusal = (rights: Partial<Actor>) =>
  backupDownload(trivet.kernel.host, { ...tools.owner, ...rights }).then(
    () => null,
    (error: unknown) => error,
  );

test.each<[string, Partial<Actor>]>([
  ['a member', { roles: new Map([[1, 'member']]) }],
  ['an administrator of another organization', { roles: new Map([[2, 'admin']]) }],
  ['a token without the scope admin', { via: 'token', grants: [] }],
])('%s gets none', async (_who, rights) => {
  expect(await refusal(rights)).toMatchObject({ code: 'FORBIDDEN' });
});

test.if(engine() === 'postgres')('PostgreSQL is backed up by its own means', async () => {
  expect(await refusal({})).toMatchObject({
    code: 'BACKUP_NOT_HERE',
    tip: expect.stringContaining('pg_dump') as string,
  });
});

/** A server from the sources with a route for the download, and an administrator of it. */
async function served(data: string, more: readonly string[] = []) {
  const where = ['--data', data];
  const named = ['token', 'create', '--email', 'owner@example.org', '--name', 'download', '--role', 'admin'];
  const made = await runTrivet(compiled, [...named, '--scopes', 'server,auth,testmgmt,admin', ...where]);
  const token = made.stdout.trim();
  // The plugin imports code of the project, which only the source resolves.
  const server = await serveTrivet(fromSource, [...where, '--plugin', downloadPlugin, ...more]);
  const download = (signal?: AbortSignal) =>
    fetch(`${server.origin}/download`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    });
  const call = async (tool: string, input: object = {}) => {
    const response = await fetch(`${server.origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  return { server, download, call };
}

test.if(engine() === 'sqlite')(
  'a download can be restored, lacks the master key, is one at a time and has an audit entry',
  async () => {
    const data = temporaryDirectory('downloaded');
    const { server, download, call } = await served(data);
    const [first, second] = await Promise.all([download(), download()]);
    expect([first.status, second.status].toSorted()).toEqual([200, 409]);
    const [good, refused] = first.status === 200 ? [first, second] : [second, first];
    expect(await refused.json()).toMatchObject({ error: { code: 'BACKUP_RUNNING' } });
    expect(good.headers.get('content-type')).toBe('application/gzip');
    expect(good.headers.get('content-disposition')).toMatch(
      /^attachment; filename="trivet-\d{8}T\d{6}Z\.tar\.gz"$/,
    );
    const archive = join(temporaryDirectory('archive'), 'trivet.tar.gz');
    await Bun.write(archive, good);
    expect(await (await download()).bytes()).not.toHaveLength(0);
    expect(await call('list-audit', { event: 'operation', operation: 'download-backup' })).toMatchObject({
      total: 2,
      events: [{ surface: 'http' }, {}],
    });
    expect(await call('get-server-health')).toMatchObject({
      lastBackup: { bytes: expect.any(Number) as number },
    });
    await server.stop();
    // The stage of a backup is gone.
    expect(readdirSync(data).filter((name) => name.startsWith('.trivet-backup'))).toEqual([]);

    const listed = Bun.spawnSync(['tar', '-tzf', archive]).stdout.toString();
    expect(listed.trim().split('\n').toSorted()).toEqual(['trivet-backup.json', 'trivet.db']);
    expect(existsSync(join(data, 'master.key'))).toBe(true);
    const into = temporaryDirectory('restored');
    rmSync(into, { recursive: true });
    const restored = await runTrivet(compiled, [
      'restore',
      archive,
      '--data',
      into,
      '--master-key-file',
      join(data, 'master.key'),
    ]);
    expect([restored.exitCode, restored.stderr]).toEqual([0, '']);
  },
  60_000,
);

test.if(engine() === 'sqlite')(
  'who leaves before the end leaves nothing behind, and the next one can download',
  async () => {
    const data = temporaryDirectory('left');
    const { server, download, call } = await served(data);
    // 15 MB that nothing compresses: more than the buffers on the way hold.
    const { projectId } = await call('create-project', { orgId: 1, projectName: 'Large' });
    for (let n = 0; n < 2; n++) {
      const tests = Array.from({ length: 1_000 }, (_, m) => ({
        testName: `${n}.${m}`,
        testDescription: Buffer.from(crypto.getRandomValues(new Uint8Array(7_500))).toString('base64'),
      }));
      expect(await call('bulk-add-tests', { projectId, tests })).toMatchObject({ total: 1_000 });
    }
    const abort = new AbortController();
    const response = await download(abort.signal);
    expect(response.status).toBe(200);
    abort.abort();
    let status = 409;
    expect(existsSync(join(data, 'last-backup.json'))).toBe(false);
    for (let n = 0; n < 100 && status === 409; n++) {
      await Bun.sleep(50);
      const again = await download();
      ({ status } = again);
      await again.bytes();
      if (status === 409) expect(existsSync(join(data, 'last-backup.json'))).toBe(false);
    }
    expect(status).toBe(200);
    await server.stop();
    expect(readdirSync(data).filter((name) => name.startsWith('.trivet-backup'))).toEqual([]);
  },
  60_000,
);

test.if(engine() === 'sqlite')(
  'an encrypted one has the master key',
  async () => {
    const data = temporaryDirectory('encrypted');
    const { generateIdentity, identityToRecipient } = await import('age-encryption');
    const identity = await generateIdentity();
    const recipient = await identityToRecipient(identity);
    const { server, download } = await served(data, ['--backup-recipient', recipient]);
    const response = await download();
    expect(response.headers.get('content-disposition')).toContain('.tar.gz.age"');
    const directory = temporaryDirectory('archive');
    const archive = join(directory, 'trivet.tar.gz.age');
    await Bun.write(archive, response);
    await server.stop();
    writeFileSync(join(directory, 'identity'), identity, { mode: 0o600 });
    const into = join(directory, 'data');
    const words = ['restore', archive, '--data', into, '--age-identity-file', join(directory, 'identity')];
    expect(await runTrivet(compiled, words)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(into, 'master.key'))).toBe(true);
  },
  60_000,
);
