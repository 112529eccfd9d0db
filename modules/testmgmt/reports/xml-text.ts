/** Characters that XML 1.0 §2.2 cannot represent, even as a reference: most control characters and two noncharacters. */
const forbidden = /(?![\t\n\r\u007f-\u009f])\p{Cc}|[\ufffe\uffff]/gu;

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const referenceOf = (mark: string): string => marks[mark] ?? `&#${mark.charCodeAt(0)};`;

const allowed = (text: string): string => text.toWellFormed().replaceAll(forbidden, '');

/** Text between tags. A parser turns a carriage return into a line feed unless it is a reference (§2.11). */
export const xmlContent = (text: string): string => allowed(text).replaceAll(/[&<>\r]/g, referenceOf);

/** The value of an attribute in double quotes. A parser turns white space into spaces unless it is a reference (§3.3.3). */
export const xmlValue = (text: string): string => allowed(text).replaceAll(/[&<>"\t\n\r]/g, referenceOf);
