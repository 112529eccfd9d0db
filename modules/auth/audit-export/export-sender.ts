import { mkdir, open } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { KeyObject } from 'node:crypto';
import { nodeCrypto, nodeNet } from '../../../core/base/late-node.ts';
import type { Batch } from './export-batch.ts';
import type { ExportTarget } from './export-target.ts';

/** How long a receiver may take for a batch. */
const timeoutMs = 10_000;

/** Sends a batch. Resolves when the receiver has it. @throws Error with the cause in its message, which contains nothing of the batch. */
export function sendBatch(
  target: ExportTarget,
  batch: Batch,
  { now, key, signal }: { readonly now: number; readonly key: KeyObject; readonly signal: AbortSignal },
): Promise<void> {
  switch (target.kind) {
    case 'file':
      return appendBatch(target.path, batch);
    case 'webhook':
      return postBatch(target.url, batch, now, key, signal);
    case 'syslog':
      return writeSyslog(target, batch, signal);
  }
}

const lineFeed = 10;

/** Appends a line and waits until it is on the disk. A line that an earlier crash has torn is ended first. */
async function appendBatch(path: string, batch: Batch): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a+', 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const torn = size > 0 && last[0] !== lineFeed;
    await file.appendFile(`${torn ? '\n' : ''}${JSON.stringify(batch)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Standard Webhooks with an asymmetric signature (`v1a`): whoever has the public key can verify it. */
async function postBatch(
  url: string,
  batch: Batch,
  now: number,
  key: KeyObject,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify(batch);
  const id = `audit-${batch.header.kid}-${batch.header.sequence}`;
  const seconds = String(Math.floor(now / 1000));
  const signature = nodeCrypto()
    .sign(null, Buffer.from(`${id}.${seconds}.${body}`), key)
    .toString('base64');
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1a,${signature}`,
    },
    body,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
}

/** Facility 13 (log audit), severity 6 (RFC 5424 §6.2.1). */
const priority = 13 * 8 + 6;

/** A message of RFC 5424, counted as RFC 6587 §3.4.1 and RFC 5425 §4.3 have it. */
function syslogMessage(at: string, kind: 'audit' | 'audit-batch', text: string): string {
  const message = `<${priority}>1 ${at} ${hostname() || '-'} trivet - ${kind} - ${text}`;
  return `${Buffer.byteLength(message)} ${message}`;
}

/** Each entry is a message, and then the header with its signature, which seals them. */
const syslogText = ({ header, signature, entries }: Batch): string =>
  [
    ...entries.map((entry) => syslogMessage(String(entry['at']), 'audit', JSON.stringify(entry))),
    syslogMessage(header.at, 'audit-batch', JSON.stringify({ header, signature })),
  ].join('');

/** The receiver gives no receipt, so it has a batch when it has closed the connection after the end of it. */
function writeSyslog(
  { host, port, tls }: Extract<ExportTarget, { kind: 'syslog' }>,
  batch: Batch,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = tls
    ? connectTls({ host, port, ...(nodeNet().isIP(host) === 0 ? { servername: host } : {}) })
    : nodeNet().connect({ host, port });
  let sent = false;
  const timer = setTimeout(() => fail(new Error('the receiver took too long')), timeoutMs);
  const fail = (error: Error) => {
    reject(error);
    socket.destroy();
  };
  const stop = () => fail(new Error('the server stops'));
  signal.addEventListener('abort', stop, { once: true });
  socket.once(tls ? 'secureConnect' : 'connect', () => {
    socket.end(syslogText(batch), () => (sent = true));
  });
  // It sends nothing that anybody reads, and its end is seen only if it is read.
  socket.resume();
  socket.once('error', (error: NodeJS.ErrnoException) =>
    fail(new Error(error.code ?? 'the connection broke')),
  );
  socket.once('close', () => {
    if (sent) resolve();
    else reject(new Error('the receiver closed the connection'));
  });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
}
