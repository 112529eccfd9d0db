import { textHead } from '../../../../core/text/text-head.ts';
import type { ReportedCase } from '../../result-files/cases/reported-case.ts';

/*
 * The automation key is the name by which test tools identify a test. It is readable text, e.g. "cart.test.ts > cart > adds an item[1-2]",
 * and the whole text is the identity: a test keeps it when its name in Trivet is shortened or changed.
 */

export interface AutomationKey {
  /** The suites, joined by {@link separator}; empty for none. */
  readonly suite: string;
  readonly name: string;
  /** Parameters, variant and number, which distinguish cases of one name. */
  readonly suffix: string;
}

export const separator = ' > ';

/** An id that a reported case names itself, in its name or a suite: `[T123]`. */
const idInText = /\[T(\d{1,15})\]/g;
/** The same id as a tag, e.g. `@T123` of Cucumber or Playwright. */
const idInTag = /^@?(?:T|trivet(?:\.id)?[:=]T?)(\d{1,15})$/i;
const idProperties = ['trivet.id', 'trivet_id', 'trivet-id'];

/** Matches most names: normalization would not change them. This check takes a fifth of the time. */
const isPlain = /^[!-Z^-~\\]+(?: [!-Z^-~\\]+)*$/;

/** Removes the named ids and the space before each. An expression that begins with the space would be quadratic in spaces. */
function withoutIds(text: string): string {
  const pieces = text.split(/\[T\d{1,15}\]/);
  return pieces.map((piece, at) => (at < pieces.length - 1 ? piece.trimEnd() : piece)).join('');
}

/** Collapses spaces and normalizes letters: tools change both between versions. */
const plain = (text: string): string =>
  isPlain.test(text) ? text : withoutIds(text).normalize('NFC').replace(/\s+/g, ' ').trim();

const suiteTexts = new WeakMap<readonly string[], string>();

/** The suites as one text. Cases of one suite share the array. */
function suiteText(suites: readonly string[]): string {
  const known = suiteTexts.get(suites);
  if (known !== undefined) return known;
  const text = suites
    .map(plainSuite)
    .filter((suite) => suite !== '')
    .join(separator);
  suiteTexts.set(suites, text);
  return text;
}

/** A suite that is a path gets the same key on Windows. */
const plainSuite = (text: string): string => {
  const suite = plain(text);
  const isPath = suite.includes('\\') && /\.\w+$/.test(suite) && !/\s/.test(suite);
  return isPath ? suite.replaceAll('\\', '/') : suite;
};

const nameless = '(no name)';

/**
 * The key of a reported case.
 * @param number its position among cases of the same name, from 1.
 */
export function keyOf(
  { suites, name, parameters, variant }: Pick<ReportedCase, 'suites' | 'name' | 'parameters' | 'variant'>,
  number = 1,
): AutomationKey {
  return {
    suite: suiteText(suites),
    name: plain(name) || nameless,
    suffix:
      (parameters === undefined ? '' : `[${plain(parameters)}]`) +
      (variant === undefined ? '' : ` {${plain(variant)}}`) +
      (number === 1 ? '' : ` #${number}`),
  };
}

export const keyText = ({ suite, name, suffix }: AutomationKey): string =>
  `${suite === '' ? '' : `${suite}${separator}`}${name}${suffix}`;

/** Splits a stored key into its parts. @param at where its name begins and ends. */
export const keyParts = (
  text: string,
  at: { readonly nameFrom: number; readonly nameTo: number },
): AutomationKey => ({
  suite: at.nameFrom === 0 ? '' : text.slice(0, at.nameFrom - separator.length),
  name: text.slice(at.nameFrom, at.nameTo),
  suffix: text.slice(at.nameTo),
});

/** Parses a key written by a person, e.g. copied from a report. */
export function parsedKey(text: string): AutomationKey {
  const whole = plain(text);
  const at = whole.lastIndexOf(separator);
  const last = at < 0 ? whole : whole.slice(at + separator.length);
  const suffix = /(?:\[[^[\]]*\])?(?: \{[^{}]*\})?(?: #\d+)?$/.exec(last)?.[0] ?? '';
  return {
    suite: at < 0 ? '' : whole.slice(0, at),
    name: last.slice(0, last.length - suffix.length) || nameless,
    suffix,
  };
}

/** The position of the name in the text of a key. */
export function nameIn({ suite, name }: AutomationKey): {
  readonly nameFrom: number;
  readonly nameTo: number;
} {
  const nameFrom = suite === '' ? 0 : suite.length + separator.length;
  return { nameFrom, nameTo: nameFrom + name.length };
}

/** The digest by which keys are found: keys may be too long for an index. */
export const keyHash = (text: string): string =>
  new Bun.CryptoHasher('sha256').update(text).digest('base64url');

/**
 * The test that a reported case names itself: in its name or a suite (`[T123]`), as a tag (`@T123`) or as the property `trivet.id`. The
 * property has precedence, then the name, the tags and the suites.
 */
export function explicitIdOf({ suites, name, tags, properties }: ReportedCase): number | undefined {
  if (properties)
    for (const property of idProperties) {
      const found = /^T?(\d{1,15})$/i.exec(properties[property]?.trim() ?? '')?.[1];
      if (found !== undefined) return Number(found);
    }
  const inText = (text: string) =>
    text.includes('[T') ? [...text.matchAll(idInText)].at(-1)?.[1] : undefined;
  const tagged = tags?.map((tag) => idInTag.exec(tag.trim())?.[1]).find((id) => id !== undefined);
  const found =
    inText(name) ??
    tagged ??
    suites
      .toReversed()
      .map(inText)
      .find((id) => id !== undefined);
  return found === undefined ? undefined : Number(found);
}

const longestName = 255;

const shortened = (text: string): string =>
  text.length <= longestName ? text : `${textHead(text, longestName - 1)}…`;

/** The name of the test created for a key: the distinguishing suffix is kept, the name is shortened. */
export function testNameOf({ name, suffix }: AutomationKey): string {
  if (name.length + suffix.length <= longestName) return name + suffix;
  const kept = suffix.slice(-200).replace(/^[\udc00-\udfff]/, '');
  return `${textHead(name, longestName - 1 - kept.length)}…${kept}`;
}

/**
 * The section of a newly created test: its suites as section names.
 * @param depth the maximum number of levels; deeper suites are joined into one name.
 */
export function sectionPathOf(suites: readonly string[], depth: number): readonly string[] {
  const names = suites.map(plainSuite).filter((suite) => suite !== '');
  const above = names.slice(0, depth - 1);
  const rest = names.slice(depth - 1);
  return (rest.length > 0 ? [...above, rest.join(separator)] : above).map(shortened);
}
