import { JsonReader, type JsonHandler } from './json-reader.ts';

/** Most characters of a JSON file: its values stay in memory until the whole file is read. Line formats and XML have no such limit. */
export const jsonLimit = 67_108_864;
/** Levels of objects and arrays. */
export const jsonDepthLimit = 100;
/** Values of one document; each takes up to 100 bytes. */
const valueLimit = 2_000_000;
/** The two ends of a longer text are kept up to this length: an attachment in base64, the output of a test. */
export const textEnd = 32_768;

type Container = unknown[] | Record<string, unknown>;

/** Builds values from the events of a JSON text. */
export class JsonTree implements JsonHandler {
  /** The complete or open values, one for each document. */
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
    // A plain assignment would set the prototype.
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

/** Reads the whole JSON of a report as its text arrives. */
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
