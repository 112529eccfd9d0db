import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FileFault } from './file-fault.ts';
import { XmlCleaning } from './xml-cleaning.ts';

/** The events of an XML document, in order. A handler throws {@link FileFault} to refuse something; the reader adds the position. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** A piece of the text inside the innermost open element. Long text arrives in several pieces. */
  text(piece: string): void;
  close(name: string): void;
}

/** Most nested elements. The deepest real report (PHPUnit, Playwright) has 12. */
export const depthLimit = 64;
/** Most attributes of one element. The widest real report (TRX) has 15. */
export const attributeLimit = 100;
/** Most characters of one tag with its attributes. Some tools write the whole failure message into one. */
export const tagLimit = 4_194_304;

/** Reads XML as its text arrives. Keeps at most one tag of it. */
export class XmlReader {
  readonly #parser = new SaxesParser();
  readonly #cleaning = new XmlCleaning();
  readonly #handlerOf: (root: string) => XmlHandler;
  #handler: XmlHandler | undefined;
  readonly #open: string[] = [];
  #insideTag = false;
  #tagLength = 0;
  #attributes = 0;
  /** The number of characters written to the parser that are not in the file, for the line with this number. */
  #added = { line: 0, characters: 0 };

  /** @param handlerOf gets the name of the root element, which determines what its content means. */
  constructor(handlerOf: (root: string) => XmlHandler) {
    this.#handlerOf = handlerOf;
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw new FileFault(this.#sentenceOf(error.message));
    });
    parser.on('opentagstart', () => {
      this.#insideTag = true;
      this.#tagLength = 0;
      this.#attributes = 0;
    });
    parser.on('attribute', () => {
      if (++this.#attributes > attributeLimit) {
        throw new FileFault(`An element has more than ${attributeLimit} attributes.`);
      }
    });
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', (tag) => {
      this.#open.pop();
      this.#handler?.close(localName(tag.name));
    });
    const text = (piece: string) => {
      if (this.#open.length > 0) this.#handler?.text(piece);
    };
    parser.on('text', text);
    parser.on('cdata', text);
  }

  /** @throws FileFault */
  write(chunk: string): void {
    const flush = this.#insideTag ? '' : this.#cleaning.flush;
    if (flush && this.#open.length > 0) {
      const { line } = this.#parser;
      const before = this.#added.line === line ? this.#added.characters : 0;
      this.#added = { line, characters: before + flush.length };
      this.#parse(flush);
    }
    this.#take(chunk, false);
  }

  /** @throws FileFault */
  end(): void {
    this.#take('', true);
    const open = this.#open.at(-1);
    if (open !== undefined) throw new FileFault(cutOff(open), this.#place());
    this.#guard(() => this.#parser.close());
  }

  #take(chunk: string, isLast: boolean): void {
    const { text, fault } = this.#cleaning.take(chunk, isLast);
    const wasInside = this.#insideTag;
    this.#parse(text);
    if (fault !== undefined) {
      const { line, column } = this.#place();
      throw new FileFault(fault, { line, column: column + 1 });
    }
    if (this.#insideTag) {
      // Counted from the end of the chunk in which the tag began.
      this.#tagLength += wasInside ? text.length : 0;
      if (this.#tagLength > tagLimit) {
        throw new FileFault(`A tag has more than ${tagLimit} characters.`, this.#place());
      }
    }
  }

  #parse(text: string): void {
    this.#guard(() => this.#parser.write(text));
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw error instanceof FileFault && !error.place ? new FileFault(error.message, this.#place()) : error;
    }
  }

  #opened({ name, attributes }: SaxesTagPlain): void {
    this.#insideTag = false;
    this.#open.push(name);
    if (this.#open.length > depthLimit) {
      throw new FileFault(`It nests elements deeper than ${depthLimit} levels.`);
    }
    const local = localName(name);
    this.#handler ??= this.#handlerOf(local);
    this.#handler.open(local, attributes);
  }

  /** The position of the last character read. */
  #place() {
    const { line, column } = this.#parser;
    return {
      line,
      column: Math.max(1, column - (this.#added.line === line ? this.#added.characters : 0)),
    };
  }

  /** Builds the sentence from a message of the parser, which begins with line and column. */
  #sentenceOf(message: string): string {
    const said = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    const open = this.#open.at(-1);
    if (said.startsWith('unexpected end') && open !== undefined) return cutOff(open);
    return `It is not well-formed XML: ${said}.`;
  }
}

const cutOff = (element: string) =>
  `It ends before <${element}> is closed: the file was cut off. Upload it after the tool has finished writing it.`;

const localName = (name: string) => name.slice(name.indexOf(':') + 1);
