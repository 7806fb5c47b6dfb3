/** What the first revision of a Definition begins with: something of its kind that is valid, to be changed. */
import type { DefinitionSource } from '../../../authoring/definitions/source.ts'

export type DefinitionKind = 'operations' | 'workflow' | 'entity'

export const kindsInWords: Record<DefinitionKind, string> = {
  operations: 'what Agents and workflows can do',
  workflow: 'operations as steps that wait for each other',
  entity: 'data with a life of its own',
}

export const starters: Record<DefinitionKind, DefinitionSource> = {
  operations: {
    operations: [
      {
        name: 'find',
        description: 'Finds one by its number.',
        inputSchema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
        effect: 'read',
        idempotent: true,
        approval: 'never',
        handler: { type: 'echo' },
      },
    ],
  },
  workflow: {
    params: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    steps: [
      { id: 'find', operation: 'orders.find', input: { number: '{{params.number}}' } },
      { id: 'record', operation: 'desk.record-case', input: { found: '{{steps.find.output}}' }, after: ['find'] },
    ],
    output: { found: '{{steps.find.output}}' },
  },
  entity: {
    schema: { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] },
    states: {
      initial: 'open',
      states: {
        open: { on: { solve: 'solved' } },
        solved: { on: { reopen: 'open', close: 'closed' } },
        closed: { final: true },
      },
    },
  },
}
