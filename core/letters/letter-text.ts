import { textHead } from '../text/text-head.ts';
import type { LetterContent } from '../host/host.ts';

/** A letter that is ready to be sent. */
interface WrittenLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** One line without control characters and without characters that turn the order of others (Unicode bidirectional controls). */
export const oneLine = (text: string, most = 300): string => {
  const line = text.replaceAll(/[\s\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ').trim();
  return line.length > most ? `${textHead(line, most - 1)}…` : line;
};

const style = 'font-family:system-ui,sans-serif;font-size:16px;line-height:1.5;color:#1b1f24';
const button =
  'display:inline-block;padding:10px 16px;background:#1d4ed8;color:#ffffff;text-decoration:none;border-radius:6px;font-weight:600';

/**
 * The letter as plain text and as HTML with the same words. The HTML loads nothing, so that opening a letter tells nobody.
 * @param endLink the page that ends letters of this kind; null: the recipient cannot end them.
 */
export function writtenLetter(content: LetterContent, endLink: string | null): WrittenLetter {
  const paragraphs = content.text.map((text) => oneLine(text, 1_000));
  const items = (content.items ?? []).map((item) => oneLine(item, 200));
  const reason = oneLine(content.reason);
  const { name, url } = content.link;
  const end = 'No more letters of this kind';
  const text = [
    ...paragraphs,
    ...(items.length === 0 ? [] : [items.map((item) => `- ${item}`).join('\n')]),
    `${name}:\n${url}`,
    `-- \n${reason}${endLink === null ? '' : `\n${end}: ${endLink}`}`,
  ].join('\n\n');
  const safe = (part: string) => Bun.escapeHTML(part);
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${safe(oneLine(content.subject))}</title></head>
<body style="margin:0;padding:24px;background:#ffffff"><div style="max-width:560px;${style}">
${paragraphs.map((part) => `<p>${safe(part)}</p>`).join('\n')}
${items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${safe(item)}</li>`).join('')}</ul>`}
<p><a href="${safe(url)}" style="${button}">${safe(name)}</a></p>
<p style="color:#4b5563;font-size:14px">${safe(reason)}${
    endLink === null ? '' : `<br><a href="${safe(endLink)}" style="color:#4b5563">${end}</a>`
  }</p>
</div></body></html>
`;
  return { subject: oneLine(content.subject, 150), text: `${text}\n`, html };
}

/**
 * Headers that keep programs from answering (RFC 3834 §5), and with a link that end letters by one button of the mail program (RFC 2369,
 * RFC 8058).
 */
export const letterHeaders = (kind: string, endLink: string | null): Readonly<Record<string, string>> => ({
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'All',
  Precedence: 'bulk',
  'X-Trivet-Letter': kind,
  ...(endLink === null
    ? {}
    : { 'List-Unsubscribe': `<${endLink}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
});
