import { expect, test } from 'bun:test'
import { createActor } from 'xstate'
import { chartOfEntity } from '../../../src/authoring/definitions/entity-chart.ts'
import { begin, decide } from '../../../src/runtime/decisions/decide.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'
import { leafOf } from '../../support/nested-states.ts'

const order = {
  initial: 'open',
  states: {
    open: { on: { pay: 'paid', note: 'open', cancel: 'canceled' } },
    paid: { on: { ship: 'shipped' } },
    shipped: { final: true },
    canceled: { final: true },
  },
}

test('XState and the decision table make the same transitions', () => {
  const table = compile(chartOfEntity('order', order))
  const events = ['pay', 'note', 'cancel', 'ship', 'constructor', 'unknown']
  for (const state of Object.keys(order.states)) {
    for (const type of events) {
      const actor = createActor(chartOfEntity('order', order))
      actor.start()
      // a path to the state
      for (const step of { open: [], paid: ['pay'], shipped: ['pay', 'ship'], canceled: ['cancel'] }[state] ?? []) {
        actor.send({ type: step })
      }
      const can = actor.getSnapshot().can({ type })
      actor.send({ type })
      expect(decide(table, state, {}, { type })?.state).toBe(can ? leafOf(actor.getSnapshot().value) : undefined)
      actor.stop()
    }
  }
  expect(begin(table, {}).state).toBe('open')
})

test('names of built-in object properties are names like others', () => {
  const table = compile(
    chartOfEntity('thing', {
      initial: 'constructor',
      states: { constructor: { on: { toString: 'hasOwnProperty' } }, hasOwnProperty: {} },
    }),
  )
  expect(decide(table, 'constructor', {}, { type: 'toString' })?.state).toBe('hasOwnProperty')
  expect(decide(table, 'hasOwnProperty', {}, { type: 'toString' })).toBeUndefined()
})
