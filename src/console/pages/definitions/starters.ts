/** Initial drafts: a valid minimal source for each kind. */
import type { DefinitionSource } from '../../../authoring/definitions/source.ts'

export type DefinitionKind = 'operations' | 'workflow' | 'entity'

export const kindsInWords: Record<DefinitionKind, string> = {
  operations: 'actions for Agents and workflows',
  workflow: 'operations as dependent steps',
  entity: 'data with a statechart',
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
