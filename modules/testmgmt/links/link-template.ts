import { Type, type TArray } from '@sinclair/typebox';
import { check, closedObject } from '../../../core/base/schema.ts';
import type { LinkTemplate } from '../base/schema.ts';

/*
 * Where the keys of another system are found, e.g. SHOP-12 of Jira. Pure: the server checks and fills templates with these rules, and the
 * console fills the address of a new issue.
 */

const maxTemplates = 20;
export const maxUrl = 2_000;
/** Characters of an address of a new issue: common servers refuse longer ones. */
const maxNewIssueUrl = 7_000;

const address = (description: string) => Type.String({ maxLength: maxUrl, description });

const linkTemplate = closedObject({
  prefix: Type.String({ maxLength: 50, description: 'SHOP-' }),
  url: address('{key}'),
  newIssueUrl: Type.Optional(address('{title}, {body}')),
});

/** The templates of a project, in a schema that every client pays for; {@link mistakeInTemplates} checks them. */
export const linkTemplateList = Type.Array(Type.Unknown(), {
  maxItems: maxTemplates,
  description: 'prefix, url, newIssueUrl',
}) as unknown as TArray<typeof linkTemplate>;

/** The address as browsers understand it; undefined unless it is http or https without a password. */
export function webAddress(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
  return isWeb && url.username === '' && url.password === '' ? url : undefined;
}

/** The address of a link as it is stored; null without one. Undefined unless it is http or https, or if it is too long. */
export function storedAddress(url: string | undefined): string | null | undefined {
  const address = url === undefined ? null : webAddress(url)?.href;
  return typeof address === 'string' && address.length > maxUrl ? undefined : address;
}

const filled = (url: string, names: readonly string[], value: string): string =>
  names.reduce((text, name) => text.replaceAll(`{${name}}`, value), url);

/** Whether it is an address whatever stands in its placeholders: they must not choose the server. */
function isFixed(url: string, names: readonly string[]): boolean {
  const [one, other] = ['a', 'b.example'].map((value) => webAddress(filled(url, names, value)));
  return one !== undefined && other !== undefined && one.origin === other.origin;
}

/** What is wrong with templates, as a sentence; undefined: nothing. */
export function mistakeInTemplates(templates: readonly LinkTemplate[]): string | undefined {
  for (const template of templates) {
    const checked = check(linkTemplate, template);
    const [problem] = checked.ok ? [] : checked.problems;
    if (problem) return `A template is wrong: ${problem.path} ${problem.message}.`;
  }
  const seen = new Set<string>();
  for (const { prefix, url, newIssueUrl } of templates) {
    if (prefix === '' || /\s/.test(prefix)) return 'A prefix is empty, or has a space in it.';
    if (seen.has(prefix.toLowerCase())) return `The prefix ${prefix} is there twice.`;
    seen.add(prefix.toLowerCase());
    if (!url.includes('{key}')) return `The url of ${prefix} does not contain {key}.`;
    if (!isFixed(url, ['key']))
      return `The url of ${prefix} is not an http or https address with {key} in its path.`;
    if (newIssueUrl !== undefined && !isFixed(newIssueUrl, ['title', 'body']))
      return `The newIssueUrl of ${prefix} is not an http or https address.`;
  }
  return undefined;
}

/** The template of a key: the one with the longest prefix, whatever the case. */
function templateFor(templates: readonly LinkTemplate[], key: string): LinkTemplate | undefined {
  const lower = key.toLowerCase();
  return templates
    .filter(({ prefix }) => lower.startsWith(prefix.toLowerCase()))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}

/** The address of a key; null if no template fits and it is not an address itself. */
export function addressOfKey(templates: readonly LinkTemplate[], key: string): string | null {
  const template = templateFor(templates, key);
  if (template) return filled(template.url, ['key'], encodeURIComponent(key.toWellFormed()));
  return webAddress(key)?.href ?? null;
}

/** The key in an address that a template would make; else the address itself. */
export function keyOfAddress(templates: readonly LinkTemplate[], url: string): string {
  for (const template of templates) {
    const [before = '', after = ''] = template.url.split('{key}');
    if (!url.startsWith(before) || !url.endsWith(after) || url.length < before.length + after.length)
      continue;
    const key = decoded(url.slice(before.length, url.length - after.length));
    if (key.toLowerCase().startsWith(template.prefix.toLowerCase()) && !/[/?#\s]/.test(key)) return key;
  }
  return url;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address that opens a new issue with its title and text filled in; undefined if no template has one. */
export function newIssueAddress(
  templates: readonly LinkTemplate[],
  { title, body }: { readonly title: string; readonly body: string },
): string | undefined {
  const url = templates.find(({ newIssueUrl }) => newIssueUrl !== undefined)?.newIssueUrl;
  if (url === undefined) return undefined;
  const titled = url.replaceAll('{title}', encoded(title, 1_000));
  const room = Math.max(0, maxNewIssueUrl - titled.length);
  return titled.replaceAll('{body}', encoded(body, room));
}

/** The beginning of a text that takes at most so many characters once it is encoded. */
function encoded(text: string, most: number): string {
  let part = text.slice(0, most);
  for (;;) {
    const result = encodeURIComponent(part.toWellFormed());
    if (result.length <= most) return result;
    part = part.slice(0, Math.floor((part.length * most) / result.length) - 1);
  }
}
