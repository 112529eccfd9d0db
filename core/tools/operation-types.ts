declare const types: unique symbol;

/** The types of an operation, for a client that is checked against them. It exists only while types are checked. */
export interface TypedOperation<N extends string, I, O> {
  readonly [types]?: { readonly name: N; readonly input: I; readonly output: O };
}

type TypesOf<One> = One extends { readonly [types]?: infer T } ? NonNullable<T> : never;

/** The types of the operations that a file exports, by name. */
export type CallsOf<File> = {
  readonly [
    Key in keyof File as TypesOf<File[Key]> extends { readonly name: infer N extends string }
      ? string extends N
        ? never
        : N
      : never
  ]: TypesOf<File[Key]>;
};
