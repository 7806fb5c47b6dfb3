/** A simulation that is kept in the address, and what the server says of it. */
import { useRef } from 'react'
import { useSearchParams } from 'wouter'
import { sent } from '../../../api/client.ts'
import { useApi } from '../../../data/context.ts'
import { contentOf, type Resource, useReading } from '../../../data/resource.ts'
import { queryOf, type Setup, type Step, setupIn } from './address.ts'

export interface Timer {
  event: string
  dueAt: string
}

export interface Standing {
  state: string | null
  at: string
  context: Record<string, unknown>
  timers: Timer[]
}

export interface SimulatedStep {
  /** Which step of the simulation it belongs to; null: the creation. */
  step: number | null
  cause: 'creation' | 'event' | 'deadline'
  event: string
  at: string
  from: string | null
  to: string | null
  accepted: boolean
  rows: { to: string; guard: string | null; holds: boolean | null; assumed: boolean; taken: boolean }[]
  effects: { effect: string; done: 'commit' | 'hint' | 'durable' }[]
  sequence: number | null
  changes: Record<string, unknown>
  timers: Timer[]
  refusal: { status: number; code: string; message: string } | null
}

export interface Outcome {
  start: Standing
  steps: SimulatedStep[]
  end: Standing & { nextEvents: string[] }
  complete: boolean
}

export interface Simulation {
  setup: Setup
  /** The address holds something that cannot be read. */
  isBroken: boolean
  resource: Resource<Outcome>
  /** Changes the simulation; false when the address has no room for it. */
  change(changes: Partial<Setup>): boolean
  add(step: Step): boolean
}

const none: Setup = { isFromStart: false, at: undefined, context: {}, steps: [] }

/** `id` is null where there is no actor: then it begins at the start. */
export function useSimulation(kind: string, id: string | null): Simulation {
  const api = useApi()
  const [query, setQuery] = useSearchParams()
  const read = setupIn(query)
  const setup = read ?? none
  const { isFromStart, at, context, steps } = setup
  const body = { ...(at !== undefined && { at }), context, steps }
  const reading = useReading(['simulations', kind, id, isFromStart, body], async ({ fetch }) => {
    const answer =
      id === null
        ? await sent(api.v1.machines({ kind }).simulate.post(body, { fetch }))
        : await sent(
            api.v1
              .actors({ kind })({ id })
              .simulate.post({ ...body, from: isFromStart ? 'start' : 'now' }, { fetch }),
          )
    return contentOf(answer) as Outcome
  })
  // what was there stays until the answer to the change has come
  const last = useRef<Outcome>(undefined)
  if (reading.value) last.current = reading.value

  function change(changes: Partial<Setup>): boolean {
    const next = { ...setup, ...changes }
    // from the first step on the clock stands where it stood: the address tells the same each time
    if (next.steps.length > 0) next.at ??= last.current?.start.at
    const address = queryOf(next)
    if (address) setQuery(address, { replace: true })
    return address !== undefined
  }
  return {
    setup,
    isBroken: read === undefined,
    resource: { ...reading, value: reading.value ?? (reading.failure ? undefined : last.current) },
    change,
    add: (step) => change({ steps: [...steps, step] }),
  }
}
