/** Projects written in TypeScript: manifests like the contract's, and types for every function. */
import { describe, expect, test } from 'bun:test'
import { defineOperations, type Infer, type OperationInput, type StandardSchema } from '@troupe/sdk'
import type { z } from 'zod'
import { orders, same } from './orders.ts'

describe('operations', () => {
  test('are a source, with defaults that follow from their effect', () => {
    expect(orders.source.operations).toEqual([
      {
        name: 'find',
        description: 'Finds an order by its number.',
        inputSchema: expect.objectContaining({ type: 'object', required: ['number'] }),
        effect: 'read',
        idempotent: true,
        approval: 'never',
        handler: {
          type: 'http',
          connection: 'shop',
          method: 'GET',
          path: '/orders/{{input.number}}',
          query: { customer: '{{input.of.customer}}' },
        },
      },
      {
        name: 'cancel',
        description: 'Cancels an order.',
        inputSchema: expect.objectContaining({ type: 'object', required: ['number', 'reason'] }),
        outputSchema: expect.objectContaining({ type: 'object', required: ['canceled'] }),
        effect: 'write',
        idempotent: false,
        approval: 'always',
        timeoutMs: 5_000,
        handler: {
          type: 'http',
          connection: 'shop',
          method: 'POST',
          path: '/cancellations',
          body: { order: '{{input.number}}', why: 'because: {{input.reason}}', items: '{{input.items}}' },
        },
      },
    ])
  })

  test('have inputs with the types of their schemas', () => {
    same<OperationInput<typeof orders.operations.find>, { number: string; of?: { customer: string } | undefined }>(true)
    same<
      OperationInput<typeof orders.operations.cancel>,
      { number: string; reason: 'late' | 'broken'; items?: number[] }
    >(true)
    expect(orders.operations.cancel.operation).toBe('orders.cancel')
  })

  test('of a library without JSON Schemas are refused', () => {
    const mute: StandardSchema<string> = {
      '~standard': { version: 1, vendor: 'mute', validate: (value) => ({ value: value as string }) },
    }
    const define = () =>
      defineOperations('mute', {
        say: { description: 'Says.', input: mute, effect: 'read', handler: { type: 'echo' } },
      })
    expect(define).toThrow('This schema of mute does not give its JSON Schema')
  })

  test('of a library with its own conversion method are accepted', () => {
    const own = {
      '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value: value as { a: string } }) },
      toJsonSchema: () => ({ type: 'object', properties: { a: { type: 'string' } } }),
    } as const
    const { source } = defineOperations('own', {
      say: { description: 'Says.', input: own, effect: 'read', handler: { type: 'echo' } },
    })
    expect(source.operations[0]?.inputSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
  })
})

test('the type of a JSON Schema is that of its values', () => {
  same<Infer<{ type: 'string' }>, string>(true)
  same<Infer<{ type: readonly ['string', 'null'] }>, string | null>(true)
  same<Infer<{ const: 4 }>, 4>(true)
  same<Infer<{ anyOf: readonly [{ type: 'boolean' }, { type: 'null' }] }>, boolean | null>(true)
  same<Infer<{ type: 'array'; items: { type: 'number' } }>, number[]>(true)
  same<Infer<{ type: 'object' }>, Record<string, unknown>>(true)
  same<Infer<Record<string, unknown>>, unknown>(true)
  same<Infer<ReturnType<typeof z.string>>, string>(true)
})
