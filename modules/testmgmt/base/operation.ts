import { operationIn, type Operation } from '../../../core/tools/operation.ts';

type Declare = ReturnType<typeof operationIn>;

const [specified, beyond, resultsOf] = [
  operationIn('testmgmt'),
  operationIn('extra'),
  operationIn('results'),
];

/** Declares an operation that the interface specification names. */
export const operation: Declare = (declared) => foundByProject(specified(declared));

/** Declares an operation beyond the interface specification: MCP offers it when the client selects the toolset `extra`. */
export const extraOperation: Declare = (declared) => foundByProject(beyond(declared));

/**
 * Records each write under the project and the run of its input, so that list-activity misses none. A handler adds details where it knows
 * more.
 */
const foundByProject = <T extends Operation>(declared: T): T =>
  declared.effect === 'read'
    ? declared
    : {
        ...declared,
        handler: (input, context) => {
          const { projectId, runId } = input as { readonly projectId?: number; readonly runId?: number };
          if (projectId !== undefined)
            context.wrote({ projectId, ...(runId === undefined ? {} : { runId }) });
          return declared.handler(input, context);
        },
      };

/** Declares an operation on the results of pipelines, in the toolset `results`. */
export const resultsOperation: Declare = (declared) => foundByProject(resultsOf(declared));

/** Declares an operation that evaluates the results of a project, in the toolset `insights`. */
export const insightOperation = operationIn('insights');
