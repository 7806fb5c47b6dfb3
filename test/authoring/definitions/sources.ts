/** Small valid sources of each kind, with changes. */
export const operation = (changes: object = {}) => ({
  name: 'find',
  description: 'Finds.',
  inputSchema: { type: 'object' },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'echo' },
  ...changes,
})

export const http = (changes: object = {}) => ({
  type: 'http',
  connection: 'shop',
  method: 'GET',
  path: '/orders',
  ...changes,
})

export const step = (id: string, changes: object = {}) => ({ id, operation: 'shop.find', ...changes })

export const workflow = (changes: object = {}) => ({ params: { type: 'object' }, steps: [step('one')], ...changes })

export const entity = (states: unknown = { initial: 'open', states: { open: {} } }) => ({
  schema: { type: 'object' },
  states,
})
