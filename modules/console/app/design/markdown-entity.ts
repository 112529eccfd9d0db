import { NAMED_CODES_TO_UNICODE } from 'markdown-to-jsx/entities';

/**
 * The character of an HTML entity, for markdown-to-jsx. Its own form for browsers decodes with `innerHTML`, which the policy of the page
 * (Trusted Types) forbids: one entity in a text broke the whole page. Its form for servers takes names such as "constructor" from the
 * prototype. The build replaces both with this file (assets/asset-build.ts).
 * @param name without `&` and `;`, e.g. `amp`.
 * @returns undefined for an unknown entity: the text stays unchanged.
 */
export function decodeEntity(name: string): string | undefined {
  for (const key of [name, name.toLowerCase()])
    if (Object.hasOwn(NAMED_CODES_TO_UNICODE, key)) return NAMED_CODES_TO_UNICODE[key];
  return undefined;
}
