/** Statecharts from the API: of a kind, and the one that an actor is run by, which may be its own. */
import { useEffect, useMemo, useRef } from 'react'
import type { Api } from '../api/client.ts'
import { useApi } from '../data/context.ts'
import { type Resource, useResource } from '../data/resource.ts'
import { type ChartModel, type Machine, modelOf } from './model.ts'

export interface FullMachine extends Machine {
  mermaid: string
}

export interface MachineResource extends Resource<FullMachine> {
  model: ChartModel | undefined
}

function useModel(resource: Resource<FullMachine>): MachineResource {
  const { value } = resource
  const model = useMemo(() => value && modelOf(value), [value])
  return { ...resource, model }
}

/** The statechart of a kind. */
export function useMachine(kind: string): MachineResource {
  const api = useApi()
  return useModel(useResource(['machines', kind], (options) => api.v1.machines({ kind }).get(options)))
}

type MachineOperation = ReturnType<Api['v1']['machines']>

/**
 * The statechart that an actor is run by. One that brings its own may be given another: when it is in a state that is not
 * on its chart, the chart is read again, once for each such state.
 */
export function useActorMachine(kind: string, id: string, state: string): MachineResource {
  const api = useApi()
  const actor = api.v1.actors({ kind })({ id }) as unknown as { machine: MachineOperation }
  const machine = useModel(useResource(['actors', kind, id, 'machine'], (options) => actor.machine.get(options)))
  const { model, refresh } = machine
  const isStrange = model !== undefined && state !== '' && !model.states.some(({ name }) => name === state)
  const latestRefresh = useRef(refresh)
  latestRefresh.current = refresh
  // biome-ignore lint/correctness/useExhaustiveDependencies: another strange state is another reason to look again
  useEffect(() => {
    if (isStrange) void latestRefresh.current()
  }, [isStrange, state])
  return machine
}
