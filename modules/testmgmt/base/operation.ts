import { operationIn, type Operation } from '../../../core/tools/operation.ts';

type Declare = ReturnType<typeof operationIn>;

const [specified, beyond, resultsOf] = [
  operationIn('testmgmt'),
  operationIn('extra'),
  operationIn('results'),
];

/** Declares an operation that the interface specification names. */
export const operation: Declare = (declared) => foundByProject(specified(declared));

/** Declares one beyond it: MCP offers these when the toolset `extra` is asked for. */
export const extraOperation: Declare = (declared) => foundByProject(beyond(declared));

/**
 * A write that is found by the project and the run of its input, so that list-activity misses none. The handler says more where it
 * knows more.
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

/** Declares one about the results of pipelines: the toolset `results`. */
export const resultsOperation: Declare = (declared) => foundByProject(resultsOf(declared));

/** Declares one that reads what the results of a project say: the toolset `insights`. */
export const insightOperation = operationIn('insights');
