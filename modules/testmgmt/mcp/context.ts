import type { ContextParts } from '../../../core/tools/context-kinds.ts';
import { projectResource } from './project-resource.ts';
import { prompts } from './prompts.ts';

/** What an agent gets in addition to tools. */
export const context: ContextParts = { resources: [projectResource], prompts };
