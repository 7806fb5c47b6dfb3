/** The workflow run as a kind of actor: its row, its journal and its values. */
import {
  type PlannedStep,
  type StepProgress,
  type StepToBegin,
  type WorkflowRunContext,
  type WorkflowRunEvent,
  workflowRunMachine,
} from '../../../machines/workflow-run.ts'
import { endWorkflowWait, insertWorkflowWait, takeWorkflowEvent } from '../../../storage/automation/workflow-events.ts'
import {
  admitWorkflowRun,
  deleteWorkflowValue,
  findPlaceOfWorkflowRun,
  getWorkflowRun,
  insertWorkflowValue,
  updateWorkflowRun,
} from '../../../storage/automation/workflows.ts'
import { withinBound } from '../../../storage/bounds.ts'
import { admitTurn } from '../../../storage/runs/runs.ts'
import { whenCommitted } from '../../../storage/statement.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import { recordEvent } from '../../events/history/record.ts'
import type { EventKind } from '../../events/kinds/kinds.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { readStoredSpan, storedSpan } from '../../platform/tracing/own-span.ts'
import { defineActor } from '../../runtime/define-actor.ts'
import type { Actor, Address, Change } from '../../runtime/kind.ts'
import { endsWith, type WorkflowTraces } from './workflow-traces.ts'

/** The columns of a new run besides its snapshot, and its params. */
export interface WorkflowRunSeed {
  row: Omit<WorkflowRunRow, 'state' | 'version' | 'machine_version' | 'context' | 'created_at' | 'updated_at'>
  params: unknown
}

/** The events of the statechart, with the outputs that the area adds. */
export type WorkflowRunCommand = WorkflowRunEvent & { output?: unknown }

export type WorkflowRunActor = Actor<WorkflowRunRow, WorkflowRunContext>
type WorkflowRunChange = Change<WorkflowRunRow, WorkflowRunContext, WorkflowRunCommand>

export const workflowRunAddress = (id: string): Address => ({ kind: 'workflow-run', id })

/** The context of a run's statechart. */
export const contextOf = ({ context }: Pick<WorkflowRunRow, 'context'>): WorkflowRunContext =>
  JSON.parse(context) as WorkflowRunContext

/** The name of the params among a run's values. */
export const paramsName = 'params'
export const outputName = 'output'
/**
 * The output of a step among the values of its run; null unless it has succeeded. That of a list is the list of the
 * outputs of its elements.
 */
export function outputOf(
  { plan, steps }: WorkflowRunContext,
  place: number,
  values: ReadonlyMap<string, unknown>,
): unknown {
  if (steps[place]?.state !== 'succeeded') return null
  const kept = ({ id }: PlannedStep) => values.get(stepOutputName(id)) ?? null
  const step = plan[place] as PlannedStep
  if (step.concurrency === undefined) return kept(step)
  return plan.flatMap((each, other) => (each.element === place && !steps[other]?.beyond ? [kept(each)] : []))
}
const stepOutputName = (stepId: string): string => `steps.${stepId}`

/** The effects of a run. Each may run twice and is idempotent. */
export interface WorkflowRunEffects {
  beginSteps(runId: string, steps: readonly StepToBegin[]): Promise<void>
  renderOutput(runId: string): Promise<void>
  withdrawApprovals(runId: string): Promise<void>
  tellParent(runId: string): Promise<void>
  /** Runs may have been given an event, which they look at by a stored effect. */
  eventGiven(): void
}

const eventKinds: Readonly<Record<string, EventKind>> = {
  completed: 'workflow.completed',
  failed: 'workflow.failed',
  unknown: 'workflow.unknown',
}

/** The webhook events: the run has ended, or needs attention. */
const recordEvents = (row: WorkflowRunRow, { moves }: WorkflowRunChange, store: Store): Write[] =>
  moves.flatMap(({ from, to, by, event }) => {
    const type = eventKinds[to]
    if (from === to || !type) return []
    return recordEvent(store, {
      organizationId: row.organization_id,
      projectId: row.project_id,
      environmentId: row.environment_id,
      type,
      subject: { type: 'workflowRun', id: row.id },
      actor: by,
      data: {
        workflowRunId: row.id,
        agentId: row.agent_id,
        definitionId: row.definition_id,
        deploymentId: row.deployment_id,
        from,
        to,
      },
      at: event.at,
      trace: row.trace,
    })
  })

/** The span of a run is exported at its end, and not again after the run is resumed. */
function markExported(change: WorkflowRunChange): Partial<WorkflowRunRow> {
  const own = change.before && endsWith(change) ? readStoredSpan(change.before.row.trace) : null
  return own ? { trace: storedSpan({ ...own, isExported: true }) } : {}
}

const keepValue = (store: Store, runId: string, name: string, value: unknown): Write =>
  insertWorkflowValue(store, { workflow_run_id: runId, name, value: JSON.stringify(value ?? null) })

interface ChangedStep {
  planned: PlannedStep
  /** undefined: an element that has become known. */
  was: StepProgress | undefined
  is: StepProgress
}

/** The steps that a move from one context to the other has changed: a few of perhaps a thousand. */
function changedSteps(before: WorkflowRunContext, after: WorkflowRunContext): ChangedStep[] {
  const changed: ChangedStep[] = []
  if (before.steps === after.steps) return changed
  for (let place = 0; place < after.steps.length; place += 1) {
    const [was, is] = [before.steps[place], after.steps[place]!]
    if (was !== is) changed.push({ planned: after.plan[place]!, was, is })
  }
  return changed
}

interface ChangingMove {
  event: WorkflowRunCommand
  before: WorkflowRunContext
  after: WorkflowRunContext
  steps: readonly ChangedStep[]
}

/** The moves, each with the contexts before and after it, and the steps that it has changed. */
function changesOf({ moves }: WorkflowRunChange, { context: first }: WorkflowRunActor): ChangingMove[] {
  return moves.map(({ event, context: after }, index) => {
    const before = moves[index - 1]?.context ?? first
    return { event, before, after, steps: changedSteps(before, after) }
  })
}

/** The values of these moves: outputs of succeeded steps, and the run's output. */
function gatheredValues(row: WorkflowRunRow, moves: readonly ChangingMove[], store: Store): Write[] {
  const writes: Write[] = []
  for (const { event, before, after, steps } of moves) {
    for (const { planned, was, is } of steps) {
      // the output of a compensation is not kept, and that of a list is in its elements
      if (planned.compensates !== undefined || planned.concurrency !== undefined) continue
      if (is.state === was?.state) continue
      const name = stepOutputName(planned.id)
      if (is.state === 'succeeded') writes.push(keepValue(store, row.id, name, event.output))
      // it was compensated, and is done again
      if (was?.state === 'succeeded') writes.push(deleteWorkflowValue(store, { workflowRunId: row.id, name }))
    }
    if (after.output === 'rendered' && before.output !== 'rendered') {
      writes.push(keepValue(store, row.id, outputName, event.output))
    }
  }
  return writes
}

/** An event that no step was given is kept for so long. */
export const eventsKeptMs = 86_400_000

const isOpen = (step: StepProgress | undefined) => step?.state === 'waiting' || step?.state === 'running'

/** The waits for events that begin and end with these moves. */
function changedWaits(
  row: WorkflowRunRow,
  moves: readonly ChangingMove[],
  store: Store,
  passedOn: () => void,
): Write[] {
  return moves.flatMap(({ event, steps }) =>
    steps.flatMap(({ planned: { id: stepId, timeoutMs }, was, is }) => {
      if (timeoutMs === undefined) return []
      if (is.state === 'waiting' && is.awaits && is.until !== undefined) {
        const { attempts: attempt, awaits, until } = is
        const of = { workflow_run_id: row.id, step_id: stepId, attempt, environment_id: row.environment_id }
        return insertWorkflowWait(store, { ...of, ...awaits, until_at: until, event_id: null }, event.at - eventsKeptMs)
      }
      if (!was?.awaits || !isOpen(was) || isOpen(is)) return []
      const wait = { workflowRunId: row.id, stepId }
      if (is.state === 'succeeded') return takeWorkflowEvent(store, wait)
      const awaited = { environmentId: row.environment_id, ...was.awaits, at: event.at }
      return whenCommitted(endWorkflowWait(store, wait, awaited), passedOn)
    }),
  )
}

/** Whether a run that had ended goes on. */
const isBegunAgain = ({ from, to }: WorkflowRunChange['moves'][number]) => from === 'failed' && to !== 'failed'

/** Such a run is new work: where its Agent is, and for the limit of the organization. */
const begunAgain = (row: WorkflowRunRow, store: Store): Write[] => [
  ...admitTurn(store, row),
  withinBound(store, 'liveWorkflowRuns', row.organization_id, row.organization_id),
]

/** `traces`: null if traces are disabled. */
export const workflowRunKind = (effects: WorkflowRunEffects, traces: Pick<WorkflowTraces, 'writes'> | null = null) =>
  defineActor<WorkflowRunRow, WorkflowRunContext, WorkflowRunCommand, WorkflowRunSeed>({
    machine: workflowRunMachine,
    table: { get: getWorkflowRun, insert: admitWorkflowRun, update: updateWorkflowRun },
    seeded: ({ row }) => row,
    columns: (_, change) => markExported(change),
    born: (row, { seed }, store) => [
      withinBound(store, 'liveWorkflowRuns', row.organization_id, row.organization_id),
      keepValue(store, row.id, paramsName, seed.params),
    ],
    moved: (row, change, store, before) => {
      const moves = changesOf(change, before)
      return [
        ...(change.moves.some(isBegunAgain) ? begunAgain(row, store) : []),
        ...gatheredValues(row, moves, store),
        ...changedWaits(row, moves, store, () => effects.eventGiven()),
        ...recordEvents(row, change, store),
        ...(traces?.writes(row, change, before) ?? []),
      ]
    },
    describe: ({ cause }) => ({ attempt: 0, reason: cause }),
    effects: {
      beginSteps: {
        durable: ({ steps }: { steps: readonly StepToBegin[] }, { address }) => effects.beginSteps(address.id, steps),
      },
      renderOutput: { durable: (_, { address }) => effects.renderOutput(address.id) },
      tellParent: { durable: (_, { address }) => effects.tellParent(address.id) },
      withdrawApprovals: { durable: (_, { address }) => effects.withdrawApprovals(address.id) },
    },
    view: {
      permission: 'agents:manage-workflows',
      // a run for a user requires naming that user, which is not possible here
      place: findPlaceOfWorkflowRun,
      show: ({ plan, steps, nextRetryAt, stopped, cause, endedAt }) => ({
        steps: plan.map(({ id, operation, after }, place) => {
          const { state, attempts, retryAt, until } = steps[place]!
          const waitsFor = after.map((other) => plan[other]!.id)
          const ends = state === 'waiting' && until !== undefined && { waitsUntil: timestamp(until) }
          const at = { retryAt: timestampOrNull(retryAt), ...ends }
          return { stepId: id, operation, after: waitsFor, state, attempts, ...at }
        }),
        nextRetryAt: timestampOrNull(nextRetryAt),
        stopped,
        cause,
        endedAt: timestampOrNull(endedAt),
      }),
    },
  })
