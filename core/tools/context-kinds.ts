/* What a module offers to a model in addition to tools. core/mcp/mcp-context.ts serves it. */

/** Calls a tool for the caller. @throws Fault. */
export type CallTool = (tool: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Resources of one kind, each about a record with an id. */
export interface ResourceKind {
  /** Contains one expression, which stands for the id, e.g. `trivet://projects/{projectId}`. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The tools that it is built from: it is offered to callers who may use all of them. */
  readonly tools: readonly string[];
  /** One page of the records that the caller may see. @param cursor as the page before returned it. */
  readonly list: (call: CallTool, cursor: string | undefined) => Promise<ResourcePage>;
  /** The data about one record; it is sent as JSON. */
  readonly read: (call: CallTool, id: number) => Promise<unknown>;
  /** Completions for the expression. */
  readonly complete?: Complete;
}

/**
 * The values with which an argument may go on.
 * @param given what the client knows of the other arguments.
 */
export type Complete = (
  call: CallTool,
  argument: { readonly name: string; readonly value: string },
  given: Readonly<Record<string, string>>,
) => Promise<readonly string[]>;

interface ResourcePage {
  readonly records: ReadonlyArray<{ readonly id: number; readonly name: string }>;
  readonly nextCursor?: string;
}

/** The beginning of a job, which a person chooses in the client. */
export interface PromptKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: ReadonlyArray<{
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }>;
  /** The tools that it reads with or tells the model to use. */
  readonly tools: readonly string[];
  /** Completions for an argument. */
  readonly complete?: Complete;
  /** The text for the model. `about` names the record whose resource is attached. */
  readonly ask: (
    call: CallTool,
    given: Readonly<Record<string, string>>,
  ) => Promise<{
    readonly text: string;
    readonly about?: { readonly uriTemplate: string; readonly id: number };
  }>;
}

/** What a module adds to the context. */
export interface ContextParts {
  readonly resources: readonly ResourceKind[];
  readonly prompts: readonly PromptKind[];
}
