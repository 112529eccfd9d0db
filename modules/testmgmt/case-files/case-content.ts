import { nameKey } from '../../../core/text/name-key.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { everyClassification, type Classification } from '../rules/classification.ts';
import type { Step } from '../base/schema.ts';

/** What a test says, by names: the same in a file, on a server and in another project. */
export interface TestContent extends Readonly<Record<Classification, string | null>> {
  readonly testName: string;
  /** From the top; empty: in no section. */
  readonly section: readonly string[];
  readonly testDescription: string;
  readonly preconditions: string;
  readonly steps: readonly Step[];
  readonly squad: string | null;
  readonly labels: readonly string[];
  readonly estimateSeconds: number | null;
}

export const contentFields = [
  'testName',
  'section',
  'testDescription',
  'preconditions',
  'steps',
  ...everyClassification,
  'squad',
  'labels',
  'estimateSeconds',
] as const satisfies ReadonlyArray<keyof TestContent>;

export type ContentField = (typeof contentFields)[number];

/** A text with one kind of line ends, and nothing at its ends. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim();

/** A heading is one line. */
const plainName = (name: string): string =>
  name
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(' ')
    .trim();

/** {@link plain}, with no spaces in lines that look empty: in a list of steps an editor would remove them. */
export const plainStepText = (text: string): string =>
  plain(text)
    .split('\n')
    .map((line) => (line.trim() === '' ? '' : line))
    .join('\n');

function plainStep({ action, data = '', expected = '' }: Step): Step {
  const [entered, seen] = [plainStepText(data), plainStepText(expected)];
  return {
    action: plainStepText(action),
    ...(entered !== '' && { data: entered }),
    ...(seen !== '' && { expected: seen }),
  };
}

/** The content as it is compared: whatever a server or an editor does to line ends, outer spaces and the order of labels is no change. */
export function comparedContent(content: TestContent): TestContent {
  const labels = new Map(content.labels.map((label) => [nameKey(label), label.trim()]));
  return {
    ...content,
    testName: plainName(content.testName),
    section: content.section.map(plain),
    testDescription: plain(content.testDescription),
    preconditions: plain(content.preconditions),
    steps: content.steps.map(plainStep),
    labels: [...labels].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, label]) => label),
  };
}

/** Whether two values of a field are the same; both of {@link comparedContent}. */
export const sameField = (a: TestContent, b: TestContent, field: ContentField): boolean =>
  JSON.stringify(a[field]) === JSON.stringify(b[field]);

/** The fields in which two contents differ; both of {@link comparedContent}. */
export const changedFields = (a: TestContent, b: TestContent): readonly ContentField[] =>
  contentFields.filter((field) => !sameField(a, b, field));

/** SHA-256 of the compared content, in hexadecimal digits. */
export const contentHash = (content: TestContent): string => {
  const compared = comparedContent(content);
  const text = JSON.stringify(contentFields.map((field) => compared[field]));
  return nodeCrypto().createHash('sha256').update(text).digest('hex');
};
