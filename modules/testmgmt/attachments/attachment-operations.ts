import { Type, type Static } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, recordId } from '../../../core/base/schema.ts';
import type { GivenFile } from '../../../core/base/given-file.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { textHead } from '../../../core/text/text-head.ts';
import { storedFileAnswer } from '../../../core/tools/file-answer.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { projectId, runId, testId } from '../base/parameters.ts';
import { testEverIn } from '../cases/case-store.ts';
import { projectFor, projectToChange, visibleProject } from '../projects/project-store.ts';
import { isInRun } from '../runs/run-case-store.ts';
import { changeRunsBeside, runFor } from '../runs/run-store.ts';
import {
  attachmentOf,
  countOfRecord,
  deleteAttachmentRow,
  insertAttachment,
  maxOfRecord,
  newestResult,
  pageOfAttachments,
  sameAttachment,
  type Attachment,
} from './attachment-store.ts';
import { deleteUnusedBlob } from './attachment-upkeep.ts';
import { blobBySha256, partOf, useBlob } from './blob-store.ts';
import { storeBlob, type StoredBlob } from './blob-writing.ts';
import { isImage } from './media-type.ts';

const attachmentId = recordId('From list-attachments.');

const attachmentRecord = closedObject({
  attachmentId: Type.Integer(),
  fileName: Type.String(),
  mediaType: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  sha256: Type.String(),
  testId: nullable(Type.Integer()),
  runId: nullable(Type.Integer()),
  resultId: nullable(Type.Integer()),
  step: nullable(Type.Integer()),
  by: Type.Integer(),
  at: Type.String(),
});

/** Bytes of a file in the arguments of a call. */
const inlineBytes = 4 * 1024 * 1024;

const addInput = closedObject({
  projectId,
  testId: Type.Optional(testId),
  runId: Type.Optional(runId),
  step: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'The number of a step of the test.' }),
  ),
  fileName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'e.g. checkout.png. Over HTTP: X-File-Name.' }),
  ),
  mediaType: Type.Optional(Type.String({ maxLength: 120, description: 'e.g. text/plain.' })),
  base64: Type.Optional(
    Type.String({ maxLength: Math.ceil(inlineBytes / 3) * 4, description: 'The file, at most 4 MiB.' }),
  ),
  ofPipeline: Type.Optional(
    Type.Boolean({ default: false, description: 'Deleted after --attachment-keep (90 days by default).' }),
  ),
  sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Instead of the file: one that the project has already.',
    }),
  ),
});

export const addAttachment = extraOperation({
  name: 'add-attachment',
  alsoIn: 'results',
  title: 'Attach a file',
  description:
    'Attaches a file to a test, to a run, or to the result of a test in a run (both ids): a screenshot, a log, a trace. Large files: ' +
    'PUT /api/attachments?projectId=&testId=&runId= with the file as the body. The same file and name again changes nothing. At most 20 of a record.',
  input: addInput,
  output: attachmentRecord,
  access: member('write'),
  effect: 'create',
  takesFiles: { path: '/api/attachments', streamed: true },
  handler: async (input, { actor, db, host, clock, files, signal, wrote }) => {
    const record = { testId: input.testId ?? null, runId: input.runId ?? null };
    if (record.testId === null && record.runId === null)
      throw fail.INVALID_REQUEST('What is it attached to? Give testId, runId or both.', { cause: 'testId' });
    // Before the file is read.
    await requireRecord(db.q, actor, input);
    await requireRoom(db.q, record);
    const given = givenFile(input, files);
    // A file that arrives slowly must not hold a transaction.
    const received =
      given && files.length > 0
        ? await storeBlob({ host, tx: (work) => host.db.tx(work) }, input.projectId, given, signal)
        : undefined;
    const fileName = nameOf(input.fileName ?? given?.name);
    wrote({ projectId: input.projectId, ...(input.runId === undefined ? {} : { runId: input.runId }) });
    return db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId, { lock: 'change' });
      const now = clock.now();
      const stored =
        received ??
        (given && (await storeBlob({ host, tx: (work) => work(q) }, input.projectId, given, signal)));
      const blobId = await usedBlob(q, input, stored, now);
      const step = input.step ?? null;
      const same = await sameAttachment(q, { ...record, blobId, fileName, step });
      if (same === undefined) await requireRoom(q, record);
      const resultId =
        record.testId !== null && record.runId !== null
          ? await newestResult(q, record.runId, record.testId)
          : null;
      const row = { ...record, projectId: input.projectId, resultId, step, blobId, fileName };
      const id =
        same ??
        (await insertAttachment(q, {
          ...row,
          isOfPipeline: input.ofPipeline ?? false,
          by: actor.userId,
          at: now,
        }));
      if (same === undefined) await changeRunsBeside(q, [record], { by: actor.userId, now }, signal);
      return attachmentRecordOf(await stillThere(q, id));
    });
  },
});

/** @throws Fault as {@link projectFor}, {@link testEverIn}, {@link runFor}; NOT_IN_RUN. */
async function requireRecord(q: Query, actor: Actor, input: Static<typeof addInput>): Promise<void> {
  await projectFor(q, actor, input.projectId, 'write');
  const { projectId: project, testId: test, runId: run } = input;
  if (test !== undefined) await testEverIn(q, actor, project, test);
  if (run === undefined) return;
  await runFor(q, actor, { projectId: project, runId: run }, 'write');
  if (test !== undefined && !(await isInRun(q, run, test)))
    throw fail.NOT_IN_RUN(`Test ${test} is not in run ${run}.`, { cause: 'testId' });
}

async function requireRoom(q: Query, record: { testId: number | null; runId: number | null }): Promise<void> {
  if ((await countOfRecord(q, record)) >= maxOfRecord)
    throw fail.TOO_MANY_ATTACHMENTS(`A record has at most ${maxOfRecord} attachments.`);
}

/** The file of a call; undefined: it names one that is there. @throws Fault INVALID_REQUEST. */
function givenFile(
  { base64, sha256, mediaType }: Static<typeof addInput>,
  [sent]: readonly GivenFile[],
): GivenFile | undefined {
  if ([base64, sha256, sent].filter((one) => one !== undefined).length !== 1)
    throw fail.INVALID_REQUEST('Give exactly one of base64, sha256 and a file as the body of a PUT.', {
      cause: 'base64',
    });
  if (sent) return mediaType === undefined ? sent : { ...sent, mediaType };
  if (base64 === undefined) return undefined;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    throw fail.INVALID_REQUEST('base64 is not base64 (RFC 4648 §4).', { cause: 'base64' });
  const content = Buffer.from(base64, 'base64');
  // The length of the text allows up to two bytes more.
  if (content.byteLength > inlineBytes)
    throw fail.INVALID_REQUEST('base64 has more than 4 MiB.', { cause: 'base64' });
  return {
    name: 'file',
    mediaType,
    size: content.byteLength,
    chunks: async function* () {
      yield content;
    },
  };
}

/** A name without a path, without control characters, and not too long for a file system. */
const nameOf = (given: string | undefined): string => {
  const last = (given ?? '').split(/[\\/]/).at(-1) ?? '';
  const whole = last.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
  const name = textHead(whole.toWellFormed().trim(), 255);
  return name === '' || name === '.' || name === '..' ? 'file' : name;
};

async function usedBlob(
  q: Query,
  { projectId: project, sha256 = '' }: Static<typeof addInput>,
  stored: StoredBlob | undefined,
  now: number,
): Promise<number> {
  const blobId = stored?.blobId ?? (await blobBySha256(q, project, sha256))?.id;
  if (blobId !== undefined && (await useBlob(q, blobId, now))) return blobId;
  throw fail.ATTACHMENT_NOT_FOUND(`Project ${project} has no file with this sha256.`, { cause: 'sha256' });
}

async function stillThere(q: Query, id: number): Promise<Attachment> {
  const found = await attachmentOf(q, id);
  if (!found) throw notFound(id);
  return found;
}

const notFound = (id: number) => fail.ATTACHMENT_NOT_FOUND(`There is no attachment ${id}.`);

const attachmentRecordOf = (row: Attachment) => ({
  attachmentId: row.id,
  fileName: row.fileName,
  mediaType: row.mediaType,
  size: row.size,
  sha256: row.sha256 ?? '',
  testId: row.testId,
  runId: row.runId,
  resultId: row.resultId,
  step: row.step,
  by: row.by,
  at: isoTime(row.at),
});

export const listAttachments = extraOperation({
  name: 'list-attachments',
  title: 'List attachments',
  description:
    'Lists the files attached to a test, a run, or a test in a run, oldest first; without either, all of the project. get-attachment returns one.',
  input: closedObject({ projectId, testId: Type.Optional(testId), runId: Type.Optional(runId), ...paging }),
  output: page('attachments', attachmentRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { projectId: project, testId: test, runId: run } = input;
    await projectFor(q, actor, project, 'read');
    if (test !== undefined) await testEverIn(q, actor, project, test);
    if (run !== undefined) await runFor(q, actor, { projectId: project, runId: run }, 'read');
    const { limit, offset } = pageOf(input);
    const { total, rows } = await pageOfAttachments(q, input, { limit, offset });
    return { total, limit, offset, attachments: rows.map(attachmentRecordOf) };
  },
});

export const getAttachment = extraOperation({
  name: 'get-attachment',
  title: 'Read an attachment',
  description: 'Returns an attached file. Over MCP an image of at most 1 MiB is shown.',
  input: closedObject({ attachmentId }),
  output: Type.Object({}),
  files: ['application/octet-stream'],
  servesFile: { path: '/api/attachments', parameter: 'attachmentId' },
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, host }) => {
    const found = await attachmentOf(q, input.attachmentId);
    if (!found || !(await visibleProject(q, actor, found.projectId, 'read')))
      throw notFound(input.attachmentId);
    const { blobId, size, sha256, fileName, mediaType } = found;
    return storedFileAnswer(fileName, mediaType, {
      size,
      etag: sha256 ?? '',
      isImage: isImage(mediaType),
      part: (from, to) => partOf(host.db.q, blobId, from, to),
    });
  },
});

export const deleteAttachment = extraOperation({
  name: 'delete-attachment',
  title: 'Delete an attachment',
  description: 'Deletes an attached file. Its content is deleted when no other attachment has it.',
  input: closedObject({ projectId, attachmentId }),
  output: closedObject({ projectId: Type.Integer(), attachmentId: Type.Integer() }),
  access: member('write'),
  effect: 'delete',
  confirm: 'The file is gone for good.',
  handler: async (input, { actor, db, host, clock, signal, afterCommit }) => {
    const blobId = await db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId, { lock: 'below' });
      const found = await attachmentOf(q, input.attachmentId);
      if (found?.projectId !== input.projectId) throw notFound(input.attachmentId);
      await changeRunsBeside(q, [found], { by: actor.userId, now: clock.now() }, signal);
      const ofContent = await deleteAttachmentRow(q, input.attachmentId);
      // Somebody else has deleted it since it was read.
      if (ofContent === undefined) throw notFound(input.attachmentId);
      return ofContent;
    });
    afterCommit(async () => void (await deleteUnusedBlob(host, blobId)));
    return input;
  },
});
