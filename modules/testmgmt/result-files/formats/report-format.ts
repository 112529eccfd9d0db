import type { CaseList } from '../cases/case-list.ts';
import type { XmlHandler } from '../text/xml-reader.ts';

/** The description of a report format, for errors and docs/pipelines.md. */
interface FormatWords {
  /** Its identifier in a response. */
  readonly name: string;
  readonly title: string;
  readonly writtenBy: string;
}

/** Receives the text of a file as it arrives and adds the cases to a list. */
export interface TextReader {
  /** @throws FileFault */
  write(piece: string): void;
  /** Yields where it may be interrupted. @throws FileFault */
  end(): Generator<void, void>;
}

/** Receives XML events and adds the cases to a list. If it has `end`, it knows the cases only after reading everything. */
export type ElementReader = XmlHandler & { end?(): Generator<void, void> };

/** XML, recognized by its root element. */
interface XmlFormat extends FormatWords {
  readonly kind: 'xml';
  readonly roots: readonly string[];
  readonly reader: (list: CaseList) => ElementReader;
}

/** JSON, recognized by its whole content. `cases` is undefined for any other format. */
interface JsonFormat extends FormatWords {
  readonly kind: 'json';
  readonly cases: (whole: unknown, list: CaseList) => Generator<void, void> | undefined;
}

/** Lines, recognized by one of the first. */
interface LineFormat extends FormatWords {
  readonly kind: 'lines';
  readonly isLine: (line: string) => boolean;
  /** Its first line may follow lines beginning with "<" that the tests printed. */
  readonly followsMarkup: boolean;
  readonly reader: (list: CaseList) => TextReader;
}

/** The definition of a report format. */
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
