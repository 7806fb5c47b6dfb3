/** A simulation in the address, and the server's result. */
import { useRef } from 'react'
import { useSearchParams } from 'wouter'
import { sent } from '../../../api/client.ts'
import { useApi } from '../../../data/context.ts'
import { contentOf, type ReadOptions, type Resource, useReading } from '../../../data/resource.ts'
import type { RevisionPlace } from '../../definitions/use-revision-machine.ts'
import { queryOf, type Setup, type Step, setupIn } from './address.ts'

interface Timer {
  event: string
  dueAt: string
}

interface Standing {
  state: string | null
  at: string
  context: Record<string, unknown>
  timers: Timer[]
}

export interface SimulatedStep {
  /** Index of its step; null for the creation. */
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

interface Simulation {
  setup: Setup
  /** Whether the address is malformed. */
  isBroken: boolean
  resource: Resource<Outcome>
  /** Changes the simulation; false if it would be too long for an address. */
  change(changes: Partial<Setup>): boolean
  add(step: Step): boolean
}

const none: Setup = { isFromStart: false, at: undefined, context: {}, steps: [] }

/** The simulated statechart: of a kind, of an actor, or of a revision of an entity's Definition. */
export type Subject =
  | { of: 'kind'; kind: string }
  | { of: 'actor'; kind: string; id: string }
  | ({ of: 'revision' } & RevisionPlace)

type Body = Pick<Setup, 'context' | 'steps'> & { at?: string }

/** Requests the result; only a copy of an actor can start in the actor's current state. */
function useSimulate(subject: Subject) {
  const api = useApi()
  return (body: Body, isFromStart: boolean, { fetch }: ReadOptions) => {
    switch (subject.of) {
      case 'kind':
        return sent(api.v1.machines({ kind: subject.kind }).simulate.post(body, { fetch }))
      case 'actor':
        return sent(
          api.v1
            .actors({ kind: subject.kind })({ id: subject.id })
            .simulate.post({ ...body, from: isFromStart ? 'start' : 'now' }, { fetch }),
        )
      case 'revision': {
        const { projectId, definitionId, revisionId } = subject
        return sent(
          api.v1
            .projects({ projectId })
            .definitions({ definitionId })
            .revisions({ revisionId })
            .simulate.post(body, { fetch }),
        )
      }
    }
  }
}

export function useSimulation(subject: Subject): Simulation {
  const simulate = useSimulate(subject)
  const [query, setQuery] = useSearchParams()
  const read = setupIn(query)
  const setup = read ?? none
  const { isFromStart, at, context, steps } = setup
  const body = { ...(at !== undefined && { at }), context, steps }
  const reading = useReading(
    ['simulations', subject, isFromStart, body],
    async (options) => contentOf(await simulate(body, isFromStart, options)) as Outcome,
  )
  // keep the previous result until the response to the change
  const last = useRef<Outcome>(undefined)
  if (reading.value) last.current = reading.value

  function change(changes: Partial<Setup>): boolean {
    const next = { ...setup, ...changes }
    // the first step fixes the clock, so that the address gives the same result each time
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
