import type { CaseList } from '../cases/case-list.ts';
import type { XmlHandler } from '../text/xml-reader.ts';

/** A format of reports in words, for errors and docs/pipelines.md. */
interface FormatWords {
  /** As it stands in a response. */
  readonly name: string;
  readonly title: string;
  readonly writtenBy: string;
}

/** Takes the text of a file as it arrives and adds the cases to a list. */
export interface TextReader {
  /** @throws FileFault */
  write(piece: string): void;
  /** Yields where it may be interrupted. @throws FileFault */
  end(): Generator<void, void>;
}

/** Takes what happens in XML and adds the cases to a list. With `end`, it knows a case only when it has read everything. */
export type ElementReader = XmlHandler & { end?(): Generator<void, void> };

/** XML, whose outermost element decides. */
interface XmlFormat extends FormatWords {
  readonly kind: 'xml';
  readonly roots: readonly string[];
  readonly reader: (list: CaseList) => ElementReader;
}

/** JSON, whose whole content decides. `cases` is undefined for another format. */
interface JsonFormat extends FormatWords {
  readonly kind: 'json';
  readonly cases: (whole: unknown, list: CaseList) => Generator<void, void> | undefined;
}

/** Lines, one of whose first decides. */
interface LineFormat extends FormatWords {
  readonly kind: 'lines';
  readonly isLine: (line: string) => boolean;
  /** Its first line may follow lines that begin with "<", which the tests printed. */
  readonly followsMarkup: boolean;
  readonly reader: (list: CaseList) => TextReader;
}

/** All that is known of a format of reports. */
export type ReportFormat = XmlFormat | JsonFormat | LineFormat;

export const jsonFormat = <T>(
  words: FormatWords,
  isOf: (whole: unknown) => whole is T & unknown,
  casesOf: (whole: T, list: CaseList) => Generator<void, void>,
): JsonFormat => ({
  ...words,
  kind: 'json',
  cases: (whole, list) => (isOf(whole) ? casesOf(whole, list) : undefined),
});
