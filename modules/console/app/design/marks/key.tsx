/** The key that does the same, at the end of a field or button. The name of the field does not contain it: a screen reader has the list of keys. */
export const Key = ({ of }: { readonly of: string }) => <kbd aria-hidden="true">{of}</kbd>;
