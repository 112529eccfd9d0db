export const consoleLinkSettings = {
  email: {
    type: 'string',
    value: 'ADDRESS',
    pattern: /^[^\s@]{1,64}@[^\s@]{1,255}$/,
    description: 'Whom the link signs in. An address that nobody has makes a new administrator.',
  },
} as const;
