/** An address that goes into an envelope as it is: no quotes, no comments, no second address (RFC 5321 §4.1.2 allows more). */
export const addressPattern =
  '^[^\\s@<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f]{1,64}@[^\\s@<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f]{1,255}$';

const pattern = new RegExp(addressPattern);

/** Whether a text is an address to which letters are sent. */
export const isAddress = (text: string): boolean => pattern.test(text);
