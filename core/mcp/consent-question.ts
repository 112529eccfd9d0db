import { idsOf } from '../tools/audited-write.ts';
import { ownLine } from './own-line.ts';

/** The characters of a text that a person reads in a question. */
const longest = 100;

/**
 * What a tool was given, in brackets: an id alone does not say what somebody agrees to, e.g. which status a CTA gets. Texts are in quotes and
 * on one line, because others may have written them.
 */
export function aboutOf(given: Readonly<Record<string, unknown>>): string {
  const ids = idsOf(given);
  const parts = Object.entries(ids).map(([name, value]) => `${name} ${[value].flat().join(', ')}`);
  for (const [name, value] of Object.entries(given)) {
    if (name in ids || name === 'dryRun') continue;
    if (typeof value === 'string') parts.push(`${name} ${quoted(value)}`);
    else if (typeof value === 'number' || typeof value === 'boolean') parts.push(`${name} ${value}`);
  }
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

const quoted = (text: string): string =>
  JSON.stringify(`${ownLine(text.slice(0, longest))}${text.length > longest ? '…' : ''}`);
