/** The ids of labels as a version stores them, in ascending order: `,3,7,` or a comma for none. */
export const labelIdsOf = (text: string): readonly number[] =>
  text
    .split(',')
    .filter((id) => id !== '')
    .map(Number)
    .toSorted((a, b) => a - b);
