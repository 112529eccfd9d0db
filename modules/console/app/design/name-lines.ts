/** The names of a text, one in each line; each once, without the space around it. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

/** Names that a person changed, in their order, with what somebody else has added and removed since they were read. */
export const mergedNames = (
  read: readonly string[],
  typed: readonly string[],
  now: readonly string[],
): readonly string[] => [
  ...typed.filter((name) => !read.includes(name) || now.includes(name)),
  ...now.filter((name) => !read.includes(name) && !typed.includes(name)),
];
