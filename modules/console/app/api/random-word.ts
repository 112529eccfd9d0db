/**
 * Hexadecimal digits that nobody else has.
 * @param length an even number. Not `crypto.randomUUID`: a browser has it only over https or from this machine.
 */
export const randomWord = (length: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(length / 2)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
