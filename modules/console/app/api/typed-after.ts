/** Of each value: what was stored, unless the person has typed on since it was sent. */
export function typedAfter<T extends object>(typed: T, sent: T, stored: T): T {
  const names = Object.keys(stored) as unknown as ReadonlyArray<keyof T>;
  const values = names.map((name) => [name, typed[name] === sent[name] ? stored[name] : typed[name]]);
  return Object.fromEntries(values) as T;
}
