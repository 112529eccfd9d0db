import { XmlReader, type XmlHandler } from '../../result-files/text/xml-reader.ts';
import { InvalidImport } from './described-test.ts';

/** An element of a record, with all that is in it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** A record, and the names of the sections around it. */
export interface XmlRecord {
  readonly element: XmlElement;
  readonly path: readonly string[];
}

/** How sections and tests stand in a document. */
export interface XmlShape {
  readonly roots: readonly string[];
  /** The element of a section. */
  readonly section: string;
  /** Whether the name of a section is its attribute `name` or its first child `name`. */
  readonly nameIs: 'attribute' | 'child';
  readonly record: string;
}

/** A test has at most 500 steps of some elements each. */
const elementsPerRecord = 12_000;
/** Characters read without a pause. */
const stepLength = 16 * 1024;

/**
 * The tests of a document of nested sections. Yields undefined where the reader may pause.
 * @throws FileFault, InvalidImport.
 */
export function* xmlRecords(content: string, shape: XmlShape): Generator<XmlRecord | undefined, void> {
  const records = new Records(shape);
  const reader = new XmlReader(() => records);
  const text = content.startsWith('\ufeff') ? content.slice(1) : content;
  if (text.trim() === '') throw new InvalidImport('It is empty.');
  for (let at = 0; at < text.length; at += stepLength) {
    reader.write(text.slice(at, at + stepLength));
    yield* records.taken();
    yield undefined;
  }
  reader.end();
  yield* records.taken();
}

class Records implements XmlHandler {
  readonly #shape: XmlShape;
  /** The names of the open elements outside of records. */
  readonly #outer: string[] = [];
  readonly #sections: string[] = [];
  /** The open elements of the record. */
  readonly #inner: XmlElement[] = [];
  #elements = 0;
  #records: XmlRecord[] = [];

  constructor(shape: XmlShape) {
    this.#shape = shape;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { roots, section, nameIs, record } = this.#shape;
    if (this.#outer.length === 0 && !roots.includes(name))
      throw new InvalidImport(
        `Its outermost element is <${name.slice(0, 100)}>, not <${roots.join('> or <')}>. Is it another product's file?`,
      );
    const parent = this.#inner.at(-1);
    if (parent || name === record) {
      if (++this.#elements > elementsPerRecord)
        throw new InvalidImport(`A test has more than ${elementsPerRecord} elements.`);
      const element = { name, attributes, children: [], text: '' };
      parent?.children.push(element);
      this.#inner.push(element);
      return;
    }
    if (name === section) this.#sections.push(nameIs === 'attribute' ? (attributes['name'] ?? '') : '');
    this.#outer.push(name);
  }

  text(piece: string): void {
    const element = this.#inner.at(-1);
    if (element) element.text += piece;
    else if (
      this.#shape.nameIs === 'child' &&
      this.#outer.at(-1) === 'name' &&
      this.#outer.at(-2) === this.#shape.section
    )
      this.#sections.push(`${this.#sections.pop() ?? ''}${piece}`);
  }

  close(name: string): void {
    const element = this.#inner.pop();
    if (!element) {
      this.#outer.pop();
      if (name === this.#shape.section) this.#sections.pop();
    } else if (this.#inner.length === 0) {
      const path = this.#sections.map((one) => one.trim()).filter((one) => one !== '');
      this.#records.push({ element, path });
      this.#elements = 0;
    }
  }

  /** The records completed since the last call. */
  taken(): readonly XmlRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** The text of a child; empty without one. */
export const textInside = (element: XmlElement | undefined, name: string): string =>
  childOf(element, name)?.text.trim() ?? '';
