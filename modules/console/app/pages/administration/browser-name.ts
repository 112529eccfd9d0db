import { t } from '../../texts/text.ts';

/** More specific names come first: Edge and Opera call themselves Chrome, and Chrome calls itself Safari. */
const browsers = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/\bcurl\//, 'curl'],
  [/\b(?:trivet|Bun)\//, t('the command line')],
] as const;

const systems = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

const firstOf = (names: ReadonlyArray<readonly [RegExp, string]>, text: string) =>
  names.find(([form]) => form.test(text))?.[1];

/** The name of a browser from its User-Agent, e.g. "Firefox, Linux". */
export function browserName(userAgent: string): string {
  const named = [firstOf(browsers, userAgent), firstOf(systems, userAgent)].filter(
    (name) => name !== undefined,
  );
  return named.length === 0 ? t('an unknown device') : named.join(', ');
}
