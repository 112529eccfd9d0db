import { crc32 } from 'node:zlib';

/*
 * Files that are made to run something where a browser opens them. Each payload calls `ran`, which the test provides in every document,
 * asks the server for `/ran`, and opens a dialog.
 */

/** How a browser runs the same bytes when a server says what they are: the proof that the file is armed. */
export type ArmedAs = { readonly as: 'document' | 'script' | 'style'; readonly type: string };

export interface HostileFile {
  readonly what: string;
  readonly name: string;
  /** The type that the uploader claims. */
  readonly claimed: string;
  readonly bytes: Buffer;
  /** What it is sent as. */
  readonly type: string;
  /** null: no browser runs it without a plugin, or only one that guesses. */
  readonly armed: ArmedAs | null;
}

const script =
  "if(window.ran)ran();fetch('/ran');new Image().src='/ran';top.marker=1;setTimeout(()=>alert(1))";
const page = `<!doctype html><title>x</title><script>${script}</script><img src=/ran onerror="${script}">`;
const inXml = script.replaceAll('>', '&gt;');
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${inXml}"><script>${inXml}</script><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:parent.ran()"/></foreignObject></svg>`;
const xhtml = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>${inXml}</script></html>`;
const style = 'html{background:rgb(1,2,3)!important}body::after{content:url(/ran)}';

const latin = (text: string) => Buffer.from(text, 'latin1');

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** The smallest JPEG that a browser decodes needs tables of 300 bytes; its first segments are enough to be taken for one. */
const jpegStart = latin('\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00');
const comment = (text: string) => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length + 2);
  return Buffer.concat([latin('\xff\xfe'), length, latin(text)]);
};
/** The first ten bytes are a valid head of a GIF, and the beginning of a statement with a comment in it. */
const gifScript = latin(`GIF89a/*\x00\x00\x00\x00*/=1;${script};//`);
const webpScript = latin(`RIFF/*\x00\x00WEBPVP8 */=1;${script};//`);

/** A ZIP of one stored file. */
function zip(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20, 0);
  head.writeUInt32LE(crc32(content), 10);
  head.writeUInt32LE(content.length, 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([latin('PK\x03\x04'), head, latin(name), content]);
  const central = Buffer.alloc(16);
  const listed = Buffer.concat([
    latin('PK\x01\x02'),
    Buffer.from([20, 0]),
    head,
    central.subarray(0, 14),
    latin(name),
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, listed, latin('PK\x05\x06'), end]);
}

const pdf = latin(
  `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1);this.submitForm('/ran'))>>>>endobj\n` +
    `2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
);

const bytes = 'application/octet-stream';
const asPage: ArmedAs = { as: 'document', type: 'text/html' };
const asSvg: ArmedAs = { as: 'document', type: 'image/svg+xml' };
const asScript: ArmedAs = { as: 'script', type: 'text/javascript' };

type Row = readonly [
  what: string,
  name: string,
  claimed: string,
  bytes: Buffer,
  type: string,
  armed: ArmedAs | null,
];

const rows: readonly Row[] = [
  ['HTML', 'page.html', 'text/html', latin(page), bytes, asPage],
  ['HTML with a character set', 'page.htm', 'Text/HTML; charset=utf-7', latin(page), bytes, asPage],
  ['HTML that says it is text', 'page.txt', 'text/plain', latin(page), 'text/plain', asPage],
  ['HTML named .jpg', 'page.jpg', 'image/jpeg', latin(page), bytes, asPage],
  ['HTML of no type', 'page', '', latin(page), bytes, asPage],
  ['HTML of an unknown type', 'page.x', 'x/unknown', latin(page), 'x/unknown', asPage],
  [
    'XHTML',
    'page.xhtml',
    'application/xhtml+xml',
    latin(xhtml),
    bytes,
    { as: 'document', type: 'application/xhtml+xml' },
  ],
  ['XML that is XHTML', 'page.xml', 'text/xml', latin(xhtml), bytes, { as: 'document', type: 'text/xml' }],
  [
    'XHTML as a style sheet of XML',
    'page.xsl',
    'text/xsl',
    latin(xhtml),
    bytes,
    { as: 'document', type: 'text/xml' },
  ],
  [
    'UTF-7 that hides its tags',
    'page.txt',
    'text/plain; charset=utf-7',
    latin(`+ADw-script+AD4-${script}+ADw-/script+AD4-`),
    'text/plain',
    null,
  ],
  ['UTF-16 with a mark', 'wide.html', 'text/html', Buffer.from(`\ufeff${page}`, 'utf16le'), bytes, asPage],
  ['SVG', 'drawing.svg', 'image/svg+xml', latin(svg), bytes, asSvg],
  ['SVG named .png', 'drawing.png', 'image/png', latin(svg), bytes, asSvg],
  ['SVG that says it is XML', 'drawing.xml', 'application/xml', latin(svg), bytes, asSvg],
  ['PDF with a script', 'paper.pdf', 'application/pdf', pdf, bytes, null],
  ['PDF that says it is text', 'paper.txt', 'text/plain', pdf, 'text/plain', null],
  ['a script', 'code.js', 'text/javascript', latin(script), bytes, asScript],
  [
    'a script that says it is JSON',
    'code.json',
    'application/json',
    latin(script),
    'application/json',
    asScript,
  ],
  ['a style sheet', 'look.css', 'text/css', latin(style), bytes, { as: 'style', type: 'text/css' }],
  ['GIF and script', 'both.gif', 'image/gif', gifScript, 'image/gif', asScript],
  [
    'GIF and script that says it is a script',
    'both.js',
    'application/javascript',
    gifScript,
    'image/gif',
    asScript,
  ],
  ['WebP and script', 'both.webp', 'image/webp', webpScript, 'image/webp', asScript],
  [
    'PNG with HTML after its end',
    'both.png',
    'image/png',
    Buffer.concat([png, latin(page)]),
    'image/png',
    asPage,
  ],
  [
    'PNG with HTML that says it is HTML',
    'both.html',
    'text/html',
    Buffer.concat([png, latin(page)]),
    'image/png',
    asPage,
  ],
  [
    'JPEG with HTML in a comment',
    'both.jpg',
    'image/jpeg',
    Buffer.concat([jpegStart, comment(page), latin('\xff\xd9')]),
    'image/jpeg',
    asPage,
  ],
  [
    'HTML inside a ZIP',
    'site.zip',
    'application/zip',
    zip('index.html', latin(page)),
    'application/zip',
    asPage,
  ],
  [
    'HTML inside a ZIP that says it is HTML',
    'site.html',
    'text/html',
    zip('index.html', latin(page)),
    bytes,
    asPage,
  ],
  [
    'several parts',
    'parts.mhtml',
    'multipart/related',
    latin(
      `MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\nContent-Type: text/html\n\n${page}\n--b--`,
    ),
    bytes,
    asPage,
  ],
  ['a name that ends the header', 'a"; filename=x.html', 'text/html', latin(page), bytes, asPage],
];

/** The corpus. */
export const attachmentCorpus: readonly HostileFile[] = rows.map(
  ([what, name, claimed, content, type, armed]) => ({ what, name, claimed, bytes: content, type, armed }),
);
