import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, runTrivet } from '../executable.ts';
import { startServed } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';

/*
 * Attachments go through many backups and restores, each of the data that the one before restored: every file has the digest that it was
 * uploaded with, at the end also over HTTP.
 */
const restores = scaled(15, 200);
const random = randomFrom(seed);
const chunkBytes = 256 * 1024;

/** Around the bounds of chunks, where a byte is lost most easily, and some of any size. */
const sizes = [
  1,
  chunkBytes - 1,
  chunkBytes,
  chunkBytes + 1,
  4 * chunkBytes,
  4 * chunkBytes + 1,
  ...Array.from({ length: 10 }, () => 1 + random.below(1_500_000)),
];

const digestOf = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

const noise = (size: number): Buffer<ArrayBuffer> => {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at++) bytes[at] = random.below(256);
  return bytes;
};

/** The digests of the stored files by name, computed from their chunks. */
function digestsIn(directory: string): Readonly<Record<string, string>> {
  const database = new Database(join(directory, 'trivet.db'), { readonly: true });
  try {
    const chunks = database.query<{ content: Uint8Array }, [number]>(
      'SELECT content FROM testmgmt_blob_chunks WHERE blob_id = ? ORDER BY position',
    );
    const rows = database
      .query<{ name: string; blob: number }, []>(
        'SELECT file_name AS name, blob_id AS blob FROM testmgmt_attachments ORDER BY file_name',
      )
      .all();
    return Object.fromEntries(
      rows.map(({ name, blob }) => [
        name,
        digestOf(Buffer.concat(chunks.all(blob).map(({ content }) => content))),
      ]),
    );
  } finally {
    database.close();
  }
}

test(`attachments survive ${restores} restores with equal hashes (SEED=${seed})`, async () => {
  const served = await startServed();
  const keys = temporaryDirectory('keys');
  const identity = await generateIdentity();
  const key = join(keys, 'key');
  writeFileSync(key, identity, { mode: 0o600 });
  const recipient = await identityToRecipient(identity);
  const { projectId } = await served.must('create-project', { orgId: 1, projectName: 'Files' });
  const { testId } = await served.must('create-test', { projectId, testName: 'Pay' });
  const { runId } = await served.must('create-run', { projectId, runName: 'One', testIds: [testId] });
  const uploaded: Record<string, string> = {};
  let bytesOfAll = 0;
  for (const [at, size] of sizes.entries()) {
    const bytes = noise(size);
    const of = at % 2 === 0 ? '' : `&runId=${String(runId)}`;
    const name = `file-${String(at).padStart(2, '0')}`;
    const answer = await fetch(
      `${served.running.origin}/api/attachments?projectId=${String(projectId)}&testId=${String(testId)}${of}`,
      {
        method: 'PUT',
        headers: { authorization: `Bearer ${served.token}`, 'x-file-name': name },
        body: bytes,
      },
    );
    expect(await answer.json()).toMatchObject({ size, sha256: digestOf(bytes) });
    uploaded[name] = digestOf(bytes);
    bytesOfAll += size;
  }

  let from = served.data;
  for (let nth = 0; nth < restores; nth++) {
    const archive = join(keys, 'backup.tar.gz');
    const target = join(temporaryDirectory('restored'), 'data');
    const isEncrypted = random.below(4) === 0;
    const sealed = isEncrypted ? ['--backup-recipient', recipient] : [];
    const made = await runTrivet(compiled, ['backup', archive, '--data', from, ...sealed]);
    expect([nth, made.exitCode, made.stderr]).toEqual([nth, 0, made.stderr]);
    const opened = isEncrypted ? ['--age-identity-file', key] : [];
    const restored = await runTrivet(compiled, ['restore', archive, '--data', target, ...opened]);
    expect([nth, restored.exitCode, restored.stderr]).toEqual([nth, 0, restored.stderr]);
    expect({ nth, files: digestsIn(target) }).toEqual({ nth, files: uploaded });
    rmSync(archive);
    if (from !== served.data) rmSync(from, { recursive: true });
    from = target;
  }
  await served.running.stop();

  const last = await startServed({ data: from });
  const { attachments } = await last.must('list-attachments', { projectId, limit: 100 });
  for (const file of attachments as Array<{ attachmentId: number; fileName: string }>) {
    const answer = await fetch(`${last.running.origin}/api/attachments/${file.attachmentId}`, {
      headers: { authorization: `Bearer ${last.token}` },
    });
    expect(digestOf(new Uint8Array(await answer.arrayBuffer()))).toBe(uploaded[file.fileName] ?? '');
  }
  expect(attachments).toHaveLength(sizes.length);
  await last.running.stop();
  ran(
    restores,
    `restores of ${sizes.length} attachments (${Math.round(bytesOfAll / 2 ** 20)} MiB), equal hashes`,
  );
}, 3_600_000);
