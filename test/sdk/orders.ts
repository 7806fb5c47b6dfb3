/** Operations written in TypeScript, and a check of types. */
import { defineOperations, operation } from '@troupe/sdk'
import { z } from 'zod'

/** Fails to compile unless both types are the same. */
type Same<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false
export const same = <Left, Right>(_: Same<Left, Right>) => {}

export const orders = defineOperations('orders', {
  find: operation({
    description: 'Finds an order by its number.',
    input: z.object({ number: z.string(), of: z.object({ customer: z.string() }).optional() }),
    effect: 'read',
    handler: (input) => {
      // @ts-expect-error the input has no such field
      void input.colour
      return {
        type: 'http',
        connection: 'shop',
        method: 'GET',
        path: `/orders/${input.number}`,
        query: { customer: input.of.customer },
      }
    },
  }),
  cancel: operation({
    description: 'Cancels an order.',
    input: {
      type: 'object',
      properties: {
        number: { type: 'string' },
        reason: { enum: ['late', 'broken'] },
        items: { type: 'array', items: { type: 'integer' } },
      },
      required: ['number', 'reason'],
    },
    output: z.object({ canceled: z.boolean() }),
    effect: 'write',
    approval: 'always',
    timeoutMs: 5_000,
    handler: (input) => ({
      type: 'http',
      connection: 'shop',
      method: 'POST',
      path: '/cancellations',
      body: { order: input.number, why: `because: ${input.reason}`, items: input.items },
    }),
  }),
})
