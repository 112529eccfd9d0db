/** Whether an `If-None-Match` contains the tag, by the weak comparison of RFC 9110 §13.1.2. */
export const tagIsNamed = (header: string | null, tag: string): boolean =>
  (header ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === tag || each === '*');
