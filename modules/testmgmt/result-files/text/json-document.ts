import { JsonReader, type JsonHandler } from './json-reader.ts';

/** Characters of a file of JSON: its values are in memory until it is read. Formats of lines and XML have no such limit. */
export const jsonLimit = 67_108_864;
/** Levels of objects and arrays. */
export const jsonDepthLimit = 100;
/** Values of one document; each takes up to 100 bytes. */
const valueLimit = 2_000_000;
/** Of a longer text the two ends of this length are kept: an attachment in base64, what a test printed. */
export const textEnd = 32_768;

type Container = unknown[] | Record<string, unknown>;

/** Makes values of what happens in a JSON text. */
export class JsonTree implements JsonHandler {
  /** The values that are complete or begun, one for each document. */
  readonly roots: unknown[] = [];
  readonly #open: Container[] = [];
  #key = '';

  get depth(): number {
    return this.#open.length;
  }

  open(isList: boolean): void {
    const container: Container = isList ? [] : {};
    this.value(container);
    this.#open.push(container);
  }

  key(name: string): void {
    this.#key = name;
  }

  value(value: unknown): void {
    const inner = this.#open.at(-1);
    if (!inner) this.roots.push(value);
    else if (Array.isArray(inner)) inner.push(value);
    else if (this.#key !== '__proto__') inner[this.#key] = value;
    // An assignment would set the prototype.
    else
      Object.defineProperty(inner, this.#key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }

  close(): void {
    this.#open.pop();
  }
}

/** Reads the JSON of a report whole, as its text arrives. */
export class JsonDocument {
  readonly #tree = new JsonTree();
  readonly #reader = new JsonReader(this.#tree, { depth: jsonDepthLimit, values: valueLimit, textEnd });

  /** @throws FileFault */
  write(piece: string): void {
    this.#reader.write(piece);
  }

  /** @throws FileFault */
  end(): void {
    this.#reader.end();
  }

  get roots(): readonly unknown[] {
    return this.#tree.roots;
  }
}
