/**
 * One entity; the actor's id is the entity's. Its states and events are those that its Definition names; what is written
 * around them is the same for all. Source: contract 3, "entity source"; contract 6, "Entity inputs".
 *
 * Names of Definitions have no slash: those with one are Troupe's own.
 */
import { assign, setup } from 'xstate'
import type { Stamp } from './words.ts'

/** What a Definition says of the life of its entities. */
export interface EntityStates {
  initial: string
  states: Record<string, { on?: Record<string, string>; final?: boolean }>
}

export interface EntityContext {
  /** 1, 2, 3 …: grows with every change. */
  version: number
}

/** Replaces the data; the state stays. */
export const update = 'entity/update'
/** In every state, also in one that nothing else leaves. */
export const remove = 'entity/delete'
/** Where an entity is that has been deleted. */
export const deleted = 'entity/deleted'

/** An event of the Definition, or one of the two above. Whoever names a version means that one and no other. */
export type EntityEvent = Stamp & { type: string; expectedVersion?: number }

/** Throws, as XState does, on states that are no statechart. A final state is one without moves, as everywhere here. */
export const createEntityMachine = (id: string, { initial, states }: EntityStates) => {
  const counted = (target: string) => ({ target, guard: 'versionExpected', actions: 'countVersion' }) as const
  const rows = Object.entries(states).map(([state, { on = {} }]) => {
    const moves = Object.entries(on).map(([event, target]) => [event, counted(target)])
    return [state, { on: { ...Object.fromEntries(moves), [update]: counted(state), [remove]: counted(deleted) } }]
  })
  return setup({
    types: {
      context: {} as EntityContext,
      events: {} as EntityEvent,
    },
    guards: {
      versionExpected: ({ context, event }) =>
        event.expectedVersion === undefined || event.expectedVersion === context.version,
    },
    actions: {
      countVersion: assign(({ context }) => ({ version: context.version + 1 })),
    },
  }).createMachine({
    id,
    version: '1',
    context: { version: 1 },
    initial,
    states: { ...Object.fromEntries(rows), [deleted]: {} },
  })
}
