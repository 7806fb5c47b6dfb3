/** Workflows whose steps may be lost, fail or wait. */
import { anyParams } from './world.ts'

const charge = { id: 'charge', operation: 'shop.charge', input: { what: 'card' } }
const tell = { id: 'tell', operation: 'shop.echo', input: { charged: '{{steps.charge.output}}' } }

export const definitions = {
  plain: { params: anyParams, steps: [{ id: 'one', operation: 'shop.echo' }] },
  find: {
    params: anyParams,
    steps: [
      { id: 'find', operation: 'shop.read', input: { what: 'x' } },
      { id: 'next', operation: 'shop.echo', after: ['find'] },
    ],
  },
  charge: { params: anyParams, steps: [charge, tell] },
  twice: { params: anyParams, steps: [charge, { ...charge, id: 'again' }, tell] },
  settle: {
    params: anyParams,
    steps: [
      { id: 'settle', operation: 'shop.settle' },
      { id: 'tell', operation: 'shop.echo', input: { receipt: '{{steps.settle.output.receipt}}' } },
    ],
  },
  careless: { params: anyParams, steps: [{ ...charge, onError: 'continue' }, tell] },
  held: { params: anyParams, steps: [{ id: 'ask', operation: 'shop.approved' }] },
}
