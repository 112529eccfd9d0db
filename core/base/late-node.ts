/*
 * Modules of Node that are loaded at their first use: each adds 2 to 3 ms to a start that may need none of them (docs/decisions/start.md).
 * test/architecture.test.ts forbids importing them directly.
 */
export const nodeCrypto = () => process.getBuiltinModule('node:crypto');
export const nodeNet = () => process.getBuiltinModule('node:net');
