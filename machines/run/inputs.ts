/** The waiting messages of a run. Source: contract 12, "`ifBusy`". */
import { type QueuedInput, queuedInputsMax, queuedQueryMax, type RunContext } from './words.ts'

type Waiting = Pick<RunContext, 'queuedInputs' | 'queuedSoFar'>

const next = ({ queuedSoFar = 0 }: Waiting, query: string | null, at: number): QueuedInput => ({
  inputId: queuedSoFar + 1,
  at,
  query: query?.slice(0, queuedQueryMax).toWellFormed() ?? null,
})

/** The context with one more message, behind the others. */
export const queuedLast = (context: Waiting, query: string | null, at: number): Waiting => ({
  queuedInputs: [...(context.queuedInputs ?? []), next(context, query, at)],
  queuedSoFar: (context.queuedSoFar ?? 0) + 1,
})

/** The context with one more message, before the others. */
export const queuedFirst = (context: Waiting, query: string | null, at: number): Waiting => ({
  queuedInputs: [next(context, query, at), ...(context.queuedInputs ?? [])],
  queuedSoFar: (context.queuedSoFar ?? 0) + 1,
})

/** The context without waiting messages; unchanged if there are none. */
export const noneQueued = ({ queuedInputs = [] }: Waiting): Waiting =>
  queuedInputs.length > 0 ? { queuedInputs: [] } : {}

export const isPlaceLeft = ({ queuedInputs = [] }: Waiting): boolean => queuedInputs.length < queuedInputsMax

/** Whether a continue is next: its message is the first that waits, or none waits before it. */
export const isNextInput = (
  { queuedInputs = [] }: Waiting,
  { inputId, inTurn = false }: { inputId?: number; inTurn?: boolean },
): boolean => (inputId === undefined ? !inTurn || queuedInputs.length === 0 : queuedInputs[0]?.inputId === inputId)
