// Made by npm run generate from the declarations of the operations: do not edit.
import type { OperationFile } from '../../../core/module/module.ts';
import type { CallsOf } from '../../../core/tools/operation-types.ts';

/** The files that have the tools of this module, in the order that clients see. A command loads those that it runs. */
export const toolFiles = [
  {
    load: () => import('../server/server-operations.ts'),
    tools: [{ name: 'get-server-settings', toolset: 'server', effect: 'read' }, { name: 'get-server-health', toolset: 'server', effect: 'read' }],
  },
] as const satisfies readonly OperationFile[];

export type ToolName = (typeof toolFiles)[number]['tools'][number]['name'];

/** Every tool of this module with the types of its input and its output. */
export type Calls = CallsOf<typeof import('../server/server-operations.ts')>;
