import { TextHead, TextTail, withoutTerminalCodes } from '../text/case-text.ts';
import { messageLimit, outputLimit } from '../cases/reported-case.ts';

/** Which elements inside a case to keep, by their path below it. */
export interface KeptElements {
  /** Elements whose text is kept from the beginning. */
  readonly heads: ReadonlySet<string>;
  /** Elements whose text is kept from the end. */
  readonly tails: ReadonlySet<string>;
  /** Elements whose attributes are kept. */
  readonly listed: ReadonlySet<string>;
}

type Attributes = Readonly<Record<string, string>>;

/** Most elements of one path in one case. */
const listLimit = 100;

/** Reads the content of a case's element, for formats that mainly use elements with text. */
export class ElementCase {
  readonly attributes: Attributes;
  readonly #keep: KeptElements;
  readonly #path: string[] = [];
  readonly #texts = new Map<string, TextHead | TextTail>();
  readonly #listed = new Map<string, Attributes[]>();

  constructor(attributes: Attributes, keep: KeptElements) {
    this.attributes = attributes;
    this.#keep = keep;
  }

  open(name: string, attributes: Attributes): void {
    this.#path.push(name);
    const path = this.#path.join('/');
    if (!this.#keep.listed.has(path)) return;
    const known = this.#listed.get(path);
    if (!known) this.#listed.set(path, [attributes]);
    else if (known.length < listLimit) known.push(attributes);
  }

  text(piece: string): void {
    if (this.#path.length === 0) return;
    const path = this.#path.join('/');
    const known = this.#texts.get(path);
    if (known) known.add(piece);
    else if (this.#keep.heads.has(path) || this.#keep.tails.has(path)) {
      const text = this.#keep.heads.has(path) ? new TextHead(messageLimit) : new TextTail(outputLimit);
      text.add(piece);
      this.#texts.set(path, text);
    }
  }

  /** @returns whether the closed element is the case itself. */
  close(): boolean {
    return this.#path.pop() === undefined;
  }

  textOf(path: string): string {
    return withoutTerminalCodes(this.#texts.get(path)?.text ?? '').trim();
  }

  listOf(path: string): readonly Attributes[] {
    return this.#listed.get(path) ?? [];
  }

  attribute(name: string): string {
    return this.attributes[name] ?? '';
  }
}

/** The part after "Type." in a full name. */
export const withoutType = (name: string, type: string): string =>
  type !== '' && name.startsWith(`${type}.`) ? name.slice(type.length + 1) : name;
