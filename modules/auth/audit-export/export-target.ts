import { UsageError } from '../../../core/base/errors.ts';

/** Where batches go. */
export type ExportTarget =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'webhook'; readonly url: string }
  | { readonly kind: 'syslog'; readonly host: string; readonly port: number; readonly tls: boolean };

/** RFC 6587 names no port of its own; RFC 5425 §4.1 names 6514. */
const usualPorts = { 'syslog:': 514, 'syslog+tls:': 6514 } as const;

/** The target of `--audit-export`. @throws UsageError. */
export function exportTargetOf(text: string): ExportTarget {
  const refuse = () =>
    new UsageError(
      '--audit-export must be file:/PATH, https://…, syslog://HOST:PORT (TCP) or syslog+tls://HOST:PORT.',
    );
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length).replace(/^\/\/(?=\/)/, '');
    if (!path.startsWith('/') || path.endsWith('/')) throw refuse();
    return { kind: 'file', path };
  }
  if (!URL.canParse(text)) throw refuse();
  const { protocol, hostname, port } = new URL(text);
  if (protocol === 'https:' || protocol === 'http:') return { kind: 'webhook', url: text };
  if (protocol !== 'syslog:' && protocol !== 'syslog+tls:') throw refuse();
  if (hostname === '') throw refuse();
  return {
    kind: 'syslog',
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? usualPorts[protocol] : Number(port),
    tls: protocol === 'syslog+tls:',
  };
}
