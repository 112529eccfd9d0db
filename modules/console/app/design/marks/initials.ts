/** At most two letters for a person: of the first and the last word of a name, or of an address before its @. */
export function initialsOf(name: string): string {
  const words = (name.split('@', 1)[0] ?? '').split(/[\s._+-]/u).filter((word) => word !== '');
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toLocaleUpperCase('en');
}

/** How many hues are told apart. */
export const hues = 8;

/** A person has the same hue everywhere and always. @param id of the user */
export const hueOf = (id: number): number => Math.abs(Math.trunc(id)) % hues;
