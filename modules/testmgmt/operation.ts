import { operationIn } from '../../core/tools/operation.ts';

/** Declares an operation that the interface specification names. */
export const operation = operationIn('testmgmt');

/** Declares one beyond it: MCP offers these when the toolset `extra` is asked for. */
export const extraOperation = operationIn('extra');

/** Declares one that reads what the results of a project say: the toolset `insights`. */
export const insightOperation = operationIn('insights');
