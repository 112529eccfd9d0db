/** The parts of a TrueType file that a PDF needs: the glyph of each character, and its width (ISO/IEC 14496-22). */
export interface Typeface {
  readonly name: string;
  readonly file: Uint8Array;
  /** The glyph of a code point; undefined when the typeface has none. */
  shapeOf(codePoint: number): number | undefined;
  /** In thousandths of the font size. */
  widthOf(shape: number): number;
  readonly ascent: number;
  readonly descent: number;
  readonly box: readonly [number, number, number, number];
}

/** @throws RangeError, Error for any other file. The file is part of the executable, so that would be a defect. */
export function readTypeface(name: string, file: Uint8Array): Typeface {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tables = new Map<string, number>();
  for (let at = 12; at < 12 + view.getUint16(4) * 16; at += 16) {
    tables.set(String.fromCharCode(...file.subarray(at, at + 4)), view.getUint32(at + 8));
  }
  const table = (tag: string): number => {
    const at = tables.get(tag);
    if (at === undefined) throw new Error(`the typeface ${name} has no table ${tag}`);
    return at;
  };
  const head = table('head');
  const hhea = table('hhea');
  const hmtx = table('hmtx');
  const scale = 1000 / view.getUint16(head + 18);
  const scaled = (at: number) => Math.round(view.getInt16(at) * scale);
  const measured = view.getUint16(hhea + 34);
  const shapes = letterShapes(view, table('cmap'));
  return {
    name,
    file,
    shapeOf: (codePoint) => shapes.get(codePoint),
    // The last width applies to all further glyphs.
    widthOf: (shape) => view.getUint16(hmtx + Math.min(shape, measured - 1) * 4) * scale,
    ascent: scaled(hhea + 4),
    descent: scaled(hhea + 6),
    box: [scaled(head + 36), scaled(head + 38), scaled(head + 40), scaled(head + 42)],
  };
}

/** The character table in format 4, which every typeface for the Basic Multilingual Plane has. */
function letterShapes(view: DataView, cmap: number): ReadonlyMap<number, number> {
  const shapes = new Map<number, number>();
  for (let index = 0; index < view.getUint16(cmap + 2); index++) {
    const at = cmap + view.getUint32(cmap + 4 + index * 8 + 4);
    if (view.getUint16(at) !== 4) continue;
    const count = view.getUint16(at + 6) / 2;
    for (let segment = 0; segment < count; segment++) {
      const place = at + 14 + segment * 2;
      const end = view.getUint16(place);
      const start = view.getUint16(place + 2 + count * 2);
      const delta = view.getInt16(place + 2 + count * 4);
      const rangeAt = place + 2 + count * 6;
      const range = view.getUint16(rangeAt);
      for (let code = start; code <= end && code !== 0xffff; code++) {
        const listed = range === 0 ? code : view.getUint16(rangeAt + range + (code - start) * 2);
        const shape = range !== 0 && listed === 0 ? 0 : (listed + delta) & 0xffff;
        if (shape !== 0) shapes.set(code, shape);
      }
    }
  }
  return shapes;
}
