/** At most this many tests can be chosen one by one: they stand in the address. */
const mostSelected = 500;

/** The ids in the address. */
export const selectionOf = (text: string | null): readonly number[] =>
  (text ?? '')
    .split(',')
    .filter((id) => /^[1-9]\d{0,15}$/.test(id))
    .map(Number)
    .slice(0, mostSelected);

/** The ids as the address has them; null for none. */
export const selectionText = (ids: readonly number[]): string | null =>
  ids.length === 0 ? null : ids.join(',');

export const toggled = (ids: readonly number[], id: number): readonly number[] =>
  ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(0, mostSelected);

/** With all of a range; those that are chosen stay. */
export const toggledRange = (ids: readonly number[], range: readonly number[]): readonly number[] =>
  [...new Set([...ids, ...range])].slice(0, mostSelected);
