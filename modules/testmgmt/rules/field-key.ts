/** Letters that Unicode does not take apart into one of A to Z and a mark. */
const latin: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/**
 * A key for the name of an own field, as a suggestion; empty if the name has no Latin letter. It never changes, and people type it in queries.
 * @example keyOfName('Größe & Gewicht') // 'grosse-gewicht'
 */
export function keyOfName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => latin[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '');
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  const key = words.join('-').replace(/^[^a-z]+/, '');
  return key.slice(0, 32).replace(/-$/, '');
}
