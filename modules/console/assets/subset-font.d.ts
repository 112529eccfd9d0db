declare module 'subset-font' {
  /** The glyphs of a text, cut from a font file. Variable axes are kept. */
  export default function subsetFont(
    font: Buffer,
    text: string,
    options: { readonly targetFormat: 'woff2' },
  ): Promise<Buffer>;
}
