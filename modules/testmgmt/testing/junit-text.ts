import { escapeXml } from './xml-escape.ts';

/** A case of a JUnit file that a test writes. */
export interface WrittenCase {
  readonly name: string;
  readonly classname?: string;
  readonly failed?: string;
  readonly skipped?: true;
  readonly time?: number;
  readonly file?: string;
  readonly line?: number;
  readonly properties?: Readonly<Record<string, string>>;
}

/** A JUnit file of suites with cases. @param timestamp of every suite, as most tools write it. */
export function junitText(
  suites: Readonly<Record<string, readonly (WrittenCase | string)[]>>,
  { timestamp }: { readonly timestamp?: string } = {},
): string {
  const bodies = Object.entries(suites).map(([suite, cases]) => {
    const written = cases.map((one) => caseText(typeof one === 'string' ? { name: one } : one));
    const at = timestamp === undefined ? '' : ` timestamp="${timestamp}"`;
    return `<testsuite name="${escapeXml(suite)}"${at}>${written.join('\n')}</testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>${bodies.join('\n')}</testsuites>`;
}

function caseText({
  name,
  classname,
  failed,
  skipped,
  time = 0.5,
  file,
  line,
  properties,
}: WrittenCase): string {
  const attributes = Object.entries({ name, classname, time, file, line }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}="${escapeXml(String(value))}"`],
  );
  const listed = Object.entries(properties ?? {}).map(
    ([key, value]) => `<property name="${escapeXml(key)}" value="${escapeXml(value)}"/>`,
  );
  const inside =
    (listed.length > 0 ? `<properties>${listed.join('')}</properties>` : '') +
    (failed === undefined ? '' : `<failure message="${escapeXml(failed)}">${escapeXml(failed)}</failure>`) +
    (skipped ? '<skipped/>' : '');
  return `<testcase ${attributes.join(' ')}>${inside}</testcase>`;
}
