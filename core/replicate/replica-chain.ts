import type { Changes } from './log-following.ts';
import type { LogPosition, Page } from './replica-object.ts';
import { faceBytes, noDigest, packFiles, packPages, sha256, type ObjectFace } from './replica-object.ts';
import { headKey, logKey, snapshotKey } from './replica-names.ts';
import type { ReplicaTarget } from './replica-target.ts';
import type { Image } from './snapshot-making.ts';

/** The end of a chain. */
export interface Tip {
  readonly sequence: number;
  readonly digest: string;
  readonly at: number;
}

interface ChainOptions {
  readonly target: ReplicaTarget;
  readonly seal: (content: Uint8Array) => Promise<Uint8Array>;
  readonly encrypted: boolean;
  readonly generation: string;
}

/** Pages in one part of a snapshot: 16 MiB. */
const partBytes = 16 * 1024 * 1024;

/** Stores the objects of one generation. Each follows the one before; none is ever replaced, except the head. */
export class ReplicaChain {
  readonly generation: string;
  readonly #options: ChainOptions;
  #tip: Tip;
  #databasePages: number;

  constructor(options: ChainOptions, tip: Tip | undefined, databasePages: number) {
    this.generation = options.generation;
    this.#options = options;
    this.#tip = tip ?? { sequence: 0, digest: noDigest, at: 0 };
    this.#databasePages = databasePages;
  }

  get tip(): Tip {
    return this.#tip;
  }

  get databasePages(): number {
    return this.#databasePages;
  }

  /** Stores changes as the next object. */
  async storeChanges(changes: Changes, pageSize: number): Promise<void> {
    const pages = [...changes.pages]
      .map(([number, bytes]): Page => ({ number, bytes }))
      .toSorted((a, b) => a.number - b.number);
    const databasePages = changes.databasePages ?? this.#databasePages;
    const { ends, at, since, position } = changes;
    await this.#store({ kind: 'pages', at, since, ends, pageSize, databasePages, log: position }, (head) =>
      packPages(
        head,
        pages.filter(({ number }) => number <= databasePages || !ends),
      ),
    );
    if (ends) this.#databasePages = databasePages;
  }

  /** Stores the files next to the database. */
  async storeFiles(
    files: Readonly<Record<string, Uint8Array>>,
    at: number,
    since: number,
    pageSize: number,
  ): Promise<void> {
    await this.#store(
      { kind: 'files', at, since, ends: true, pageSize, databasePages: this.#databasePages },
      (head) => packFiles(head, files),
    );
  }

  /**
   * Stores a snapshot of what the chain has come to.
   * @param base the object after which the image is; for a chain without objects, its time is that of the image.
   * @param readPart reads pages of the image.
   */
  async storeSnapshot(
    image: Image,
    base: Tip,
    files: Readonly<Record<string, Uint8Array>>,
    readPart: (first: number, count: number) => readonly Page[],
  ): Promise<void> {
    const { pageSize, databasePages } = image;
    const face = {
      ...this.#face(base.at, pageSize, databasePages),
      sequence: base.sequence,
      previous: base.digest,
    };
    const name = { generation: this.generation, sequence: base.sequence, at: base.at, previous: base.digest };
    const perPart = Math.max(1, Math.floor(partBytes / pageSize));
    const parts: string[] = [];
    for (let first = 1; first <= databasePages; first += perPart) {
      const head = faceBytes({ ...face, kind: 'part', part: parts.length, firstPage: first });
      const pages = readPart(first, Math.min(perPart, databasePages - first + 1));
      const { bytes, digest } = await this.#sealed(head, packPages(head, pages));
      await this.#options.target.put(snapshotKey({ ...name, part: parts.length, digest }), bytes);
      parts.push(digest);
    }
    const head = faceBytes({ ...face, kind: 'snapshot', parts });
    const { bytes, digest } = await this.#sealed(head, packFiles(head, files));
    await this.#options.target.put(snapshotKey({ ...name, part: undefined, digest }), bytes);
  }

  /** Says how far the chain goes. @param at everything that was committed until then is in it. */
  async storeHead(at: number): Promise<void> {
    const { sequence, digest } = this.#tip;
    const text = JSON.stringify({ sequence, digest, at: Math.floor(at) });
    await this.#options.target.put(headKey(this.generation), new TextEncoder().encode(`${text}\n`));
  }

  async #store(
    part: Pick<ObjectFace, 'kind' | 'at' | 'since' | 'ends' | 'pageSize' | 'databasePages'> & {
      readonly log?: LogPosition;
    },
    pack: (head: Uint8Array) => Uint8Array,
  ): Promise<void> {
    const sequence = this.#tip.sequence + 1;
    const previous = this.#tip.digest;
    const { at, ends } = part;
    const since = Math.min(part.since, at);
    const head = faceBytes({
      ...this.#face(at, part.pageSize, part.databasePages),
      ...part,
      since,
      sequence,
      previous,
    });
    const { bytes, digest } = await this.#sealed(head, pack(head));
    const { generation } = this;
    await this.#options.target.put(
      logKey({ generation, sequence, at, since, ends, previous, digest }),
      bytes,
    );
    this.#tip = { sequence, digest, at };
  }

  #face(at: number, pageSize: number, databasePages: number): ObjectFace {
    const { generation } = this;
    const { encrypted } = this.#options;
    return {
      format: 1,
      kind: 'pages',
      generation,
      sequence: 0,
      at,
      since: at,
      previous: noDigest,
      pageSize,
      databasePages,
      ends: true,
      encrypted,
    };
  }

  async #sealed(head: Uint8Array, content: Uint8Array) {
    const bytes = Buffer.concat([head, await this.#options.seal(content)]);
    return { bytes, digest: sha256(bytes) };
  }
}
