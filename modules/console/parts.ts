import type { ModuleParts } from '../../core/module.ts';

export const parts: ModuleParts = {};
