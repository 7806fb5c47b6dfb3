/** A run whose agent hands work to others. */
import { type agent, call, createWorld, internal, type WorldOptions } from './world.ts'

/** The call of a delegate. */
export const ask = (delegate: string, query: string, id = 'a') => call(id, delegate, { query })

/** A run whose agent has these delegates. */
export function team(delegates: ReturnType<typeof agent>[], options: WorldOptions) {
  return createWorld({
    ...options,
    content: { ...options.content, delegates: delegates.map(internal) },
    means: { ...options.means, delegates: Object.fromEntries(delegates.map((one) => [one.name, one])) },
  })
}
