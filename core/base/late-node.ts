/*
 * Modules of Node that are loaded at their first use: each takes 2 to 3 ms of a start that needs none of them
 * (docs/decisions/start.md). test/architecture.test.ts refuses to import them.
 */
export const nodeCrypto = () => process.getBuiltinModule('node:crypto');
export const nodeNet = () => process.getBuiltinModule('node:net');
