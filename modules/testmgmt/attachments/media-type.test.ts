import { expect, test } from 'bun:test';
import { isImage, mediaTypeOf } from './media-type.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
const bytesOf = (text: string) => Buffer.from(text, 'latin1');

test.each<[string, string | undefined, Uint8Array, string]>([
  ['a PNG', 'image/png', png, 'image/png'],
  ['a PNG that says it is a page', 'text/html', png, 'image/png'],
  ['a JPEG without a type', undefined, bytesOf('\xff\xd8\xff\xe0\x00\x10JFIF'), 'image/jpeg'],
  ['an old GIF', 'application/octet-stream', bytesOf('GIF87a....'), 'image/gif'],
  ['a GIF', 'image/gif', bytesOf('GIF89a....'), 'image/gif'],
  ['a WebP', 'image/webp', bytesOf('RIFF....WEBPVP8 ....'), 'image/webp'],
  ['a WAV, which is RIFF too', 'audio/wav', bytesOf('RIFF....WAVEfmt '), 'audio/wav'],
  ['text that says it is a PNG', 'image/png', bytesOf('<script>1</script>'), 'application/octet-stream'],
  ['an SVG', 'image/svg+xml', bytesOf('<svg onload=x>'), 'application/octet-stream'],
  ['a page', 'text/html; charset=utf-8', bytesOf('<!doctype html>'), 'application/octet-stream'],
  ['XHTML', 'application/xhtml+xml', bytesOf('<html>'), 'application/octet-stream'],
  ['a PDF', 'application/pdf', bytesOf('%PDF-1.7'), 'application/octet-stream'],
  ['a script', 'text/javascript', bytesOf('alert(1)'), 'application/octet-stream'],
  ['a style sheet', 'text/css', bytesOf('a{}'), 'application/octet-stream'],
  ['a style sheet of XML', 'text/xsl', bytesOf('<a/>'), 'application/octet-stream'],
  ['a program', 'application/wasm', bytesOf('\0asm'), 'application/octet-stream'],
  ['a log', 'Text/Plain; charset=utf-8', bytesOf('failed'), 'text/plain'],
  ['a trace', 'application/zip', bytesOf('PK\x03\x04'), 'application/zip'],
  ['a video', 'video/webm', bytesOf('\x1aE\xdf\xa3'), 'video/webm'],
  ['a type with a line end', 'text/plain\r\nX: 1', bytesOf('x'), 'application/octet-stream'],
  ['no type', undefined, bytesOf(''), 'application/octet-stream'],
])('%s', (_, given, first, expected) => {
  expect(mediaTypeOf(given, first)).toBe(expected);
  expect(isImage(mediaTypeOf(given, first))).toBe(expected.startsWith('image/'));
});
