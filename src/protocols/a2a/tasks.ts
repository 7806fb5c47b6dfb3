/** Tasks: a task is the turn that a message began, with the turns of its answers. */
import type { PendingCall, TurnEvent } from '../turns/events.ts'
import { TurnSummary } from '../turns/summary.ts'
import type { Turn } from '../turns/turns.ts'

const prefix = 'a2a:'
const taskId = /^task_([0-9a-hjkmnp-tv-z]{26})_(\d{1,9})$/

export const threadOf = (contextId: string): string => `${prefix}${contextId}`

/** `turn`: the turn that the message began. */
const taskIdOf = (runId: string, turn: number): string => `task_${runId.slice('run_'.length)}_${turn}`

/** undefined for an invalid id. */
export function readTaskId(id: unknown): { runId: string; turn: number } | undefined {
  const [, run, turn] = (typeof id === 'string' && taskId.exec(id)) || []
  return run === undefined ? undefined : { runId: `run_${run}`, turn: Math.max(1, Number(turn)) }
}

/** The turn of a task. */
export interface TaskTurn extends Turn {
  /** When it began. */
  beganAt: string
}

/** A task without its content. */
export interface TaskHead {
  id: string
  contextId: string
  metadata: { agentRunId: string }
}

export const taskHead = ({ run }: Turn, messageTurn: number): TaskHead => ({
  id: taskIdOf(run.id, messageTurn),
  contextId: run.threadKey?.startsWith(prefix) ? run.threadKey.slice(prefix.length) : (run.threadKey ?? run.id),
  metadata: { agentRunId: run.id },
})

/** Whether the client has to answer; an external delegate answers through the API. */
const waitsForClient = ({ isAsking, pending }: TurnSummary): boolean =>
  isAsking && pending.some(({ kind }) => kind !== 'delegate')

const question = (head: TaskHead, pending: readonly PendingCall[]) => ({
  messageId: `${head.id}_question`,
  contextId: head.contextId,
  taskId: head.id,
  role: 'ROLE_AGENT',
  parts: [
    ...pending.map(({ toolName, input }) => ({ text: `${toolName} ${JSON.stringify(input)}` })),
    { data: { awaiting: pending } },
  ],
})

const statusMessage = (head: TaskHead, text: string) => ({
  messageId: `${head.id}_status`,
  contextId: head.contextId,
  taskId: head.id,
  role: 'ROLE_AGENT',
  parts: [{ text }],
})

const endings: Readonly<Record<string, string>> = {
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  expired: 'TASK_STATE_FAILED',
}

/** `status` of the task. */
function statusOf(summary: TurnSummary, head: TaskHead, { run, beganAt }: TaskTurn) {
  const { ended, pending } = summary
  if (ended) {
    const { state, stateReason, endedAt } = ended.run
    const text = stateReason ? `${stateReason.message} (${stateReason.code})` : undefined
    return {
      state: endings[state] ?? 'TASK_STATE_FAILED',
      timestamp: endedAt ?? run.updatedAt,
      ...(text && { message: statusMessage(head, text) }),
    }
  }
  const timestamp = summary.since ?? beganAt
  if (waitsForClient(summary)) {
    return { state: 'TASK_STATE_INPUT_REQUIRED', timestamp, message: question(head, pending) }
  }
  return { state: run.state === 'queued' ? 'TASK_STATE_SUBMITTED' : 'TASK_STATE_WORKING', timestamp }
}

const textArtifact = (stepId: number, text: string) => ({ artifactId: `text_${stepId}`, parts: [{ text }] })

/** The structured output of a completed run as an artifact; none otherwise. */
const outputArtifact = ({ ended }: TurnSummary) =>
  ended?.run.state === 'completed' && typeof ended.output === 'object' && ended.output !== null
    ? [{ artifactId: 'output', parts: [{ data: ended.output, mediaType: 'application/json' }] }]
    : []

export const taskOf = (summary: TurnSummary, head: TaskHead, turn: TaskTurn) => ({
  ...head,
  status: statusOf(summary, head, turn),
  artifacts: [...summary.sayings.map(({ stepId, text }) => textArtifact(stepId, text)), ...outputArtifact(summary)],
  history: [],
})

/** Whether the stream of the task ends here for the client. */
const isSettled = (summary: TurnSummary): boolean => summary.ended !== undefined || waitsForClient(summary)

/** The task at its end, or where it waits for the client. */
export async function settledTask(events: AsyncIterable<TurnEvent>, head: TaskHead, turn: TaskTurn) {
  const summary = new TurnSummary()
  for await (const event of events) {
    summary.add(event)
    if (isSettled(summary)) break
  }
  return taskOf(summary, head, turn)
}

/** The messages of a stream of a task: what the summary has, then the events after it, which are added to it. */
export async function* taskUpdates(
  events: AsyncIterable<TurnEvent>,
  head: TaskHead,
  turn: TaskTurn,
  summary: TurnSummary,
) {
  const { id, contextId } = head
  const place = { taskId: id, contextId, metadata: head.metadata }
  const begun = new Set(summary.sayings.map(({ stepId }) => stepId))
  yield { task: taskOf(summary, head, turn) }
  if (isSettled(summary)) {
    yield { statusUpdate: { ...place, status: statusOf(summary, head, turn) } }
    return
  }
  const timestamp = summary.since ?? turn.beganAt
  yield { statusUpdate: { ...place, status: { state: 'TASK_STATE_WORKING', timestamp } } }
  for await (const event of events) {
    summary.add(event)
    if (event.type === 'idle') yield undefined
    if (event.type === 'text') {
      const append = begun.has(event.stepId)
      begun.add(event.stepId)
      yield { artifactUpdate: { ...place, artifact: textArtifact(event.stepId, event.text), append, lastChunk: false } }
    }
    if (isSettled(summary)) break
  }
  if (!isSettled(summary)) return
  for (const artifact of outputArtifact(summary)) {
    yield { artifactUpdate: { ...place, artifact, append: false, lastChunk: true } }
  }
  yield { statusUpdate: { ...place, status: statusOf(summary, head, turn) } }
}
