/** The statechart of an entity Definition, run by XState like every other one. Source: contract 3, "entity source". */
import { type AnyStateMachine, createMachine } from 'xstate'
import type { EntitySource } from './source.ts'

/** Throws, as XState does, on states that are no statechart. A final state is one without moves, as in `machines/`. */
export function chartOfEntity(name: string, { initial, states }: EntitySource['states']): AnyStateMachine {
  const rows = Object.entries(states).map(([state, { on = {} }]) => {
    const moves = Object.entries(on).map(([event, target]) => [event, { target }])
    return [state, { on: Object.fromEntries(moves) }]
  })
  return createMachine({ id: name, version: '1', initial, states: Object.fromEntries(rows) })
}
