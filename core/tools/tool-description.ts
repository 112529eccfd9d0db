import { brieflyOf } from './list-fields.ts';
import type { Operation } from './operation.ts';

/** An operation as clients see it. */
export interface ToolDescription extends Pick<
  Operation,
  'name' | 'toolset' | 'alsoIn' | 'title' | 'description' | 'effect' | 'additive' | 'confirm'
> {
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** For a list: the default fields of a model. */
  readonly briefly?: readonly string[];
  /** The schema of its data. A server of 0.1.0 sends none. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** The list of tools is sent at every start of a client: each operation is described once. */
const described = new WeakMap<Operation, ToolDescription>();

/** The description of an operation. */
export function describe(operation: Operation): ToolDescription {
  const known = described.get(operation);
  if (known) return known;
  const { name, toolset, alsoIn, title, description, effect, additive, confirm, input, output, files } =
    operation;
  const made = {
    name,
    toolset,
    title,
    description,
    effect,
    ...(alsoIn === undefined ? {} : { alsoIn }),
    ...(additive === undefined ? {} : { additive }),
    ...(confirm === undefined ? {} : { confirm }),
    ...brieflyOf(input),
    inputSchema: plain(input),
    // A file is described over MCP instead of returned as data (core/mcp/mcp-tools.ts): an object of either kind.
    outputSchema: files === undefined ? plain(output) : { type: 'object' },
  };
  described.set(operation, made);
  return made;
}

/** A round trip through JSON drops TypeBox's symbols, so that the plain schema is left. The maximum of ids is checked but not shown. */
const plain = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === 'maximum' && value === Number.MAX_SAFE_INTEGER ? undefined : value,
    ),
  ) as Record<string, unknown>;
