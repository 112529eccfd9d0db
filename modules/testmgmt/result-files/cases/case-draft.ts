import { withoutTerminalCodes } from '../text/case-text.ts';
import { rounded } from './case-values.ts';
import {
  attemptLimit,
  messageLimit,
  outputLimit,
  type ReportedAttempt,
  type ReportedCase,
  type ReportedStatus,
} from './reported-case.ts';

/** A case as reported by a JSON format, before limits apply: empty texts and lists are omitted. */
export type CaseDraft = Omit<ReportedCase, 'line'> & { readonly line?: number | undefined };

/** Most tags, properties or attachments of one case. */
const listLimit = 100;
const valueLimit = 2_000;

export function caseOfDraft(draft: CaseDraft): ReportedCase {
  const {
    parameters,
    variant,
    flaky,
    file,
    line,
    tags = [],
    properties = {},
    attachments = [],
    output = '',
  } = draft;
  const printed = withoutTerminalCodes(output.slice(-outputLimit)).trim();
  const named = Object.entries(properties).slice(0, listLimit);
  const short = (text: string) => text.slice(0, valueLimit);
  return {
    suites: draft.suites.filter((suite) => suite !== ''),
    name: draft.name,
    ...(parameters && { parameters: parameters }),
    ...(variant && { variant: variant }),
    status: draft.status,
    ...(flaky !== undefined && { flaky }),
    attempts: draft.attempts.slice(-attemptLimit),
    ...(file && { file: file }),
    ...(file && line !== undefined && line > 0 && { line }),
    ...(tags.length > 0 && { tags: tags.slice(0, listLimit).map((tag) => short(tag.replace(/^@/, ''))) }),
    ...(named.length > 0 && {
      properties: Object.fromEntries(named.map(([key, value]) => [short(key), short(value)])),
    }),
    ...(attachments.length > 0 && { attachments: attachments.slice(0, listLimit).map(short) }),
    ...(printed && { output: printed }),
  };
}

/** One attempt, from values that may be absent. */
export function attemptOf(
  status: ReportedStatus,
  durationMs: number | undefined,
  startedAt: number | undefined,
  message: string,
): ReportedAttempt {
  const said = withoutTerminalCodes(message.slice(0, messageLimit)).trim();
  return {
    status,
    ...(durationMs !== undefined && { durationMs: rounded(Math.max(0, durationMs)) }),
    ...(startedAt !== undefined && Number.isFinite(startedAt) && { startedAt }),
    ...(said && { message: said }),
  };
}

/** The message followed by the trace; the trace alone if it contains the message. */
export function messageWithTrace(message: string, trace: string): string {
  return trace.includes(message) ? trace : `${message}\n${trace}`;
}
