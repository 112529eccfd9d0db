import { operationIn } from '../../../core/tools/operation.ts';

/** Declares an operation that the interface specification names. */
export const operation = operationIn('testmgmt', { byProject: true });

/** Declares an operation beyond the interface specification: MCP offers it when the client selects the toolset `extra`. */
export const extraOperation = operationIn('extra', { byProject: true });

/** Declares an operation on the results of pipelines, in the toolset `results`. */
export const resultsOperation = operationIn('results', { byProject: true });

/** Declares an operation that evaluates the results of a project, in the toolset `insights`. */
export const insightOperation = operationIn('insights');
