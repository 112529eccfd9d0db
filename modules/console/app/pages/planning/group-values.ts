interface StoredValue {
  readonly valueId: number;
  readonly name: string;
}

/**
 * The values of a configuration group after a person renamed and removed some. What somebody else has added, renamed and removed since
 * they were read stays so: a value that is left out is deleted, also from the runs that have it.
 */
export function mergedValues(
  read: readonly StoredValue[],
  typed: readonly StoredValue[],
  now: readonly StoredValue[],
): readonly StoredValue[] {
  const nameIn = (values: readonly StoredValue[], id: number) =>
    values.find(({ valueId }) => valueId === id)?.name;
  return now.flatMap(({ valueId, name }) => {
    const [before, mine] = [nameIn(read, valueId), nameIn(typed, valueId)];
    if (before === undefined) return [{ valueId, name }];
    if (mine === undefined) return [];
    return [{ valueId, name: mine === before ? name : mine }];
  });
}
