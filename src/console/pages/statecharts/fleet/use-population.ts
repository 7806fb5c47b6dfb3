/** The number of actors in each state of a kind, read every two seconds. */
import { useMemo } from 'react'
import { populationOf } from '../../../charts/drawing/population.ts'
import type { FullMachine } from '../../../charts/use-machine.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'

const everyMs = 2_000

/** The states that an actor leaves without a command: by a report, a deadline, or an event of the server. */
function passingStates({ events, transitions }: FullMachine): ReadonlySet<string> {
  const commands = new Set(events.filter(({ by }) => by === 'command').map(({ event }) => event))
  const moves = transitions.filter(({ from, to, event }) => from !== to && !commands.has(event))
  return new Set(moves.flatMap(({ from }) => (from === null ? [] : [from])))
}

export function usePopulation(machine: FullMachine) {
  const api = useApi()
  const { kind } = machine
  const resource = useResource(
    ['population', kind],
    (options) => api.v1.machines({ kind }).population.get({ ...options, query: {} }),
    // a refused request is not repeated
    { every: (_, failure) => (failure ? null : everyMs) },
  )
  const { value } = resource
  const population = useMemo(() => {
    if (!value) return undefined
    const passing = passingStates(machine)
    return populationOf(value.states, (state) => passing.has(state), Date.parse(value.takenAt))
  }, [value, machine])
  return { resource, population }
}

export type PopulationResource = ReturnType<typeof usePopulation>['resource']
