/** The first characters of a text that is longer than `length`. Half a character at their end would be refused, or stored as another one. */
export const textHead = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
