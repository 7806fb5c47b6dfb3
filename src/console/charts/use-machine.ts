/** Statecharts from the API: of a kind, and of an actor, which may have its own. */
import { useEffect, useMemo, useRef } from 'react'
import { useApi } from '../data/context.ts'
import { type Resource, useResource } from '../data/resource.ts'
import { type ChartModel, type Machine, modelOf } from './model.ts'

/** The meanings of the names in a statechart, as the API returns them. */
export interface Meanings {
  events: { event: string; by: 'command' | 'report' | 'server'; says: string }[]
  guards: { guard: string; holdsWhen: string }[]
  effects: { effect: string; bringsAbout: string }[]
  /** `defaultMs` is null if each actor has its own. */
  deadlines: { event: string; states: string[]; limits: string; defaultMs: number | null; setting: string | null }[]
}

export interface FullMachine extends Omit<Machine, 'deadlines'>, Meanings {
  xstate: unknown
  about: string
  mermaid: string
}

export interface MachineResource extends Resource<FullMachine> {
  model: ChartModel | undefined
}

/** A loaded statechart with its drawing model. */
export function useModel(resource: Resource<FullMachine>): MachineResource {
  const { value } = resource
  const model = useMemo(() => value && modelOf(value), [value])
  return { ...resource, model }
}

/** The statechart of a kind. */
export function useMachine(kind: string): MachineResource {
  const api = useApi()
  return useModel(useResource(['machines', kind], (options) => api.v1.machines({ kind }).get(options)))
}

/**
 * The statechart of an actor. An entity's may be replaced while the page is open: when the actor is in a state that its
 * statechart does not have, the statechart is read again, once for each such state.
 */
export function useActorMachine(kind: string, id: string, state: string): MachineResource {
  const api = useApi()
  const read = useResource(['actors', kind, id, 'machine'], (options) =>
    api.v1.actors({ kind })({ id }).machine.get(options),
  )
  const machine = useModel(read)
  const { model, refresh } = machine
  const isStrange = model !== undefined && state !== '' && !model.states.some(({ name }) => name === state)
  const latestRefresh = useRef(refresh)
  latestRefresh.current = refresh
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again for each unknown state
  useEffect(() => {
    if (isStrange) void latestRefresh.current()
  }, [isStrange, state])
  return machine
}
