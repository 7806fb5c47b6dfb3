/** Nested states, as XState writes them: `{ live: { leased: 'running' } }`. */
import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate'
import { leavesOf, pathOf } from '../../src/runtime/decisions/nesting.ts'

/** The innermost state of a value. */
export const leafOf = (value: StateValue): string =>
  typeof value === 'string' ? value : leafOf(Object.values(value)[0] as StateValue)

export const leafNodes = (machine: AnyStateMachine): AnyStateNode[] => leavesOf(machine.root)

export function leafNode(machine: AnyStateMachine, name: string): AnyStateNode {
  const found = leafNodes(machine).find(({ key }) => key === name)
  if (!found) throw new Error(`The statechart ${machine.id} has no state ${name}.`)
  return found
}

/** The value of an actor in this state. */
export const stateValueOf = (machine: AnyStateMachine, name: string): StateValue =>
  pathOf(leafNode(machine, name)).reduce<StateValue>(
    (value, { key }) => (key === name ? value : { [key]: value }),
    name,
  )

interface Exported {
  after?: Record<string, unknown>
  states?: Record<string, Exported>
}

/** The innermost states of an exported statechart, each with the names of its deadlines. */
export const deadlinesByState = (states: Record<string, Exported>, around: string[] = []): Record<string, string[]> =>
  Object.assign(
    {},
    ...Object.entries(states).map(([name, { after = {}, states: inner }]) => {
      const names = [...Object.keys(after), ...around]
      return inner ? deadlinesByState(inner, names) : { [name]: names }
    }),
  )
