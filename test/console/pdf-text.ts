import { inflateSync } from 'node:zlib';

/* The text of a PDF that Chromium printed, page by page: enough to say what stands on the first one. */

interface PdfObject {
  readonly text: string;
  /** Of its stream, inflated. */
  readonly stream: string | undefined;
}

/** The objects of the file by number. */
function objectsOf(bytes: Buffer): ReadonlyMap<number, PdfObject> {
  const file = bytes.toString('latin1');
  const found = new Map<number, PdfObject>();
  for (const { 1: id, index, 0: head } of file.matchAll(/^(\d+) 0 obj\n/gm)) {
    const end = file.indexOf('endobj', index);
    const text = file.slice(index + head.length, end);
    const stream = /\/Filter \/FlateDecode\n\/Length (\d+)>> stream\n/.exec(text);
    const from = index + head.length + (stream ? stream.index + stream[0].length : 0);
    found.set(Number(id), {
      text: stream ? text.slice(0, stream.index + stream[0].length) : text,
      stream: stream
        ? inflateSync(bytes.subarray(from, from + Number(stream[1]))).toString('latin1')
        : undefined,
    });
  }
  return found;
}

const lettersOf = (hex: string): string =>
  String.fromCharCode(...(hex.match(/.{4}/g) ?? []).map((part) => Number.parseInt(part, 16)));

/** The letters of a typeface by the code of their glyph. */
function charactersOf(map: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [, part = ''] of map.matchAll(/beginbfchar\n([^]*?)endbfchar/g))
    for (const [, code = '', to = ''] of part.matchAll(/<([\dA-F]+)> <([\dA-F]+)>/gi))
      found.set(Number.parseInt(code, 16), lettersOf(to));
  for (const [, part = ''] of map.matchAll(/beginbfrange\n([^]*?)endbfrange/g))
    for (const [, from = '', to = '', first = ''] of part.matchAll(
      /<([\dA-F]+)> <([\dA-F]+)> <([\dA-F]+)>/gi,
    ))
      for (let code = Number.parseInt(from, 16); code <= Number.parseInt(to, 16); code++)
        found.set(code, String.fromCharCode(Number.parseInt(first, 16) + code - Number.parseInt(from, 16)));
  return found;
}

/** The text of each page, without spaces: where they are is a matter of layout. */
export function pagesOfPdf(bytes: Buffer): readonly string[] {
  const objects = objectsOf(bytes);
  const reference = (text: string, name: string) => Number(new RegExp(`/${name} (\\d+) 0 R`).exec(text)?.[1]);
  return [...objects.values()].flatMap(({ text }) => {
    if (!/\/Type \/Page\n/.test(text)) return [];
    const fonts = new Map(
      [...text.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id]) => {
        const font = objects.get(Number(id))?.text ?? '';
        const characters = charactersOf(objects.get(reference(font, 'ToUnicode'))?.stream ?? '');
        // A glyph of a variable typeface, which is drawn, has one byte.
        return [name, { characters, code: /\/Subtype \/Type3/.test(font) ? /.{2}/g : /.{4}/g }] as const;
      }),
    );
    const content = objects.get(reference(text, 'Contents'))?.stream ?? '';
    let font: { readonly characters: ReadonlyMap<number, string>; readonly code: RegExp } | undefined;
    let said = '';
    for (const [, name, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|(<[^>]*>|\[[^\]]*\]) T[jJ]/g)) {
      if (name !== undefined) font = fonts.get(name);
      for (const [, hex = ''] of (shown ?? '').matchAll(/<([\dA-F]*)>/gi))
        for (const code of hex.match(font?.code ?? /.{4}/g) ?? [])
          said += font?.characters.get(Number.parseInt(code, 16)) ?? '?';
    }
    // Ligatures are their letters.
    return [said.normalize('NFKC').replaceAll(/\s/g, '')];
  });
}
