/** Events of a run's stream. */
import type { RequestOptions } from '../client/options.ts'
import type { StreamEvent } from '../client/stream-event.ts'
import type { RunsResource, StreamAgentRunInput } from '../generated/resources.ts'
import type { AgentRun, AgentStep, Checkpoint, RunTransition } from '../generated/schemas.ts'

/** A piece of a model's text, reasoning or tool input. */
export interface StepDelta {
  kind: 'text' | 'reasoning' | 'toolInput'
  text: string
  /** With `toolInput`. */
  toolCallId?: string
  /** With `toolInput`. */
  toolName?: string
}

/** The current state of a run; sent in place of missed events. */
export interface RunSnapshot {
  run: AgentRun
  openSteps: AgentStep[]
  lastSequence: number
  /** Whether events are missing. */
  gap: boolean
}

/** The inputs that a run waits for. */
export type Awaiting = NonNullable<AgentRun['awaiting']>

/** The limits and the usage of a run, sent once four fifths of a limit are used. */
interface BudgetWarning {
  percent: 80
  limits: NonNullable<AgentRun['limits']>
  usedTokens: number
  /** null if it cannot be computed. */
  cost: AgentRun['cost']
}

/** The data of each event, by its type. */
export interface RunEventData {
  'run.snapshot': RunSnapshot
  'run.transition': RunTransition
  'step.started': AgentStep
  'step.delta': StepDelta
  'step.completed': AgentStep
  'step.failed': AgentStep
  'checkpoint.created': Checkpoint
  'input.requested': Awaiting
  /** Four fifths of a limit of the run are used. */
  'budget.warning': BudgetWarning
  /** The run, in a terminal state. */
  end: AgentRun
}

export type RunEventType = keyof RunEventData

/** An event of a run. `type` determines the type of `data`. */
export type RunEvent<Type extends RunEventType = RunEventType> = {
  [Each in Type]: {
    type: Each
    /** 1, 2, 3 … over attempts and continues; for a snapshot, that of the last event before it. */
    sequence: number
    /** When it happened: RFC 3339. */
    at: string
    attempt: number
    /** Only of events about a step. */
    agentStepId?: number
    data: RunEventData[Each]
  }
}[Type]

/** The event of a run, as its stream sends it. */
const runEventOf = ({ type, data }: StreamEvent): RunEvent => ({ type, ...(data as object) }) as RunEvent

/**
 * The events of a run, typed. `end` is always requested, and so is `run.snapshot` for a reader without a cursor, even
 * if the caller does not select them: only after these does the server report that no more events follow. Events that
 * the server left out because the caller was slow are read again, from the last one before them.
 */
export async function* runEvents(
  runs: RunsResource,
  { types, after, ...input }: StreamAgentRunInput,
  options?: RequestOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  const wanted = types && new Set<RunEventType>(types)
  const lastWords: RunEventType[] = after === undefined ? ['run.snapshot', 'end'] : ['end']
  const asked = wanted && { types: [...new Set([...wanted, ...lastWords])] }
  let last = after
  for (let isMissing = true; isMissing; ) {
    isMissing = false
    let isFirst = true
    for await (const event of runs.stream({ ...input, after: last, ...asked }, options)) {
      const runEvent = runEventOf(event)
      // as the first event it shows that the missing ones no longer exist
      isMissing = isGap(runEvent) && !isFirst
      if (isMissing) break
      isFirst = false
      last = runEvent.sequence
      if (!wanted || wanted.has(runEvent.type)) yield runEvent
    }
  }
}

const isGap = ({ type, data }: RunEvent) => type === 'run.snapshot' && data.gap
