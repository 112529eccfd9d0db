import { operationIn } from '../../core/tools/operation.ts';

/** Declares an operation that the interface specification names. */
export const operation = operationIn('testmgmt');

/** Declares one beyond it: MCP offers these when the toolset `extra` is asked for. */
export const extraOperation = operationIn('extra');
