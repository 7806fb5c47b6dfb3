/** Statecharts from the API: of a kind, and the one that an actor is run by, which may be its own. */
import { useMemo } from 'react'
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

/** The statechart that an actor is run by. */
export function useActorMachine(kind: string, id: string): MachineResource {
  const api = useApi()
  const actor = api.v1.actors({ kind })({ id }) as unknown as { machine: MachineOperation }
  return useModel(useResource(['actors', kind, id, 'machine'], (options) => actor.machine.get(options)))
}
