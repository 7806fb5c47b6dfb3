/**
 * The invocation as a kind of actor: its row, its approval, its events in the Environment's history and, for a call of a
 * run, the outcome for that run; all of it in one unit of work. Source: contract 6, 7.
 */

import {
  createInvocationMachine,
  type InvocationContext,
  type InvocationEvent,
  type InvocationLimits,
} from '../../../../machines/operation-invocation.ts'
import { compensatedBy } from '../../../../machines/workflow-run.ts'
import { decideApproval, insertApproval } from '../../../../storage/automation/approvals.ts'
import {
  findPlaceOfInvocation,
  getInvocation,
  insertInvocation,
  updateInvocation,
} from '../../../../storage/automation/invocations.ts'
import { callIsWanted, stepIsWanted } from '../../../../storage/automation/wanted-invocations.ts'
import { withinBound } from '../../../../storage/bounds.ts'
import { keepCallResult } from '../../../../storage/runs/call-results.ts'
import { noneGoing } from '../../../../storage/runs/runs.ts'
import type { Store, Write } from '../../../../storage/store.ts'
import type { ApprovalRow, InvocationRow } from '../../../../storage/tables.ts'
import { recordEvent } from '../../../events/history/record.ts'
import { timestampOrNull } from '../../../platform/http/timestamp.ts'
import { defineActor, isSmall } from '../../../runtime/define-actor.ts'
import type { Actor, ActorKind, Address, Change, OwnChart } from '../../../runtime/kind.ts'
import type { InvocationTraces } from './invocation-traces.ts'
import { callOutcomeOf, progressOf } from './outcome.ts'

/** The columns of a new invocation besides its snapshot. */
export type InvocationSeed = Omit<
  InvocationRow,
  'state' | 'version' | 'machine_version' | 'context' | 'performer' | 'output' | 'error' | 'created_at' | 'updated_at'
>

export type InvocationActor = Actor<InvocationRow, InvocationContext>
type InvocationChange = Change<InvocationRow, InvocationContext, InvocationEvent>
type InvocationMove = InvocationChange['moves'][number]

export const invocationAddress = (id: string): Address => ({ kind: 'operation-invocation', id })

interface InvocationEffects {
  /** A performance has started and belongs to this process. */
  perform(id: string, performance: number): void
  /** A running performance is no longer wanted. */
  abort(id: string): void
  /** Reports the progress of the invocation to its origin. */
  tellOrigin(id: string): Promise<void>
}

export interface InvocationKind extends ActorKind<InvocationRow, InvocationContext, InvocationEvent> {
  /** The statechart of an invocation with or without approval. */
  chartFor(needsApproval: boolean): OwnChart
}

/** Bounds the pending approvals of requests; calls of runs and workflows are bounded by these. */
const boundOf = (store: Store, row: InvocationRow): Write[] =>
  row.approval_id === null || row.agent_run_id !== null || row.workflow_run_id !== null
    ? []
    : [withinBound(store, 'pendingApprovals', row.organization_id, row.environment_id)]

/** `traces`: null if traces are disabled. */
export function invocationKind(
  limits: InvocationLimits,
  effects: InvocationEffects,
  traces: Pick<InvocationTraces, 'writes'> | null = null,
): InvocationKind {
  const machine = createInvocationMachine(limits, 'pending_approval')
  const atOnce = createInvocationMachine(limits, 'running')
  const charts = {
    approved: { key: 'approved', title: 'Operation invocation with approval', machine: () => machine },
    atOnce: { key: 'at once', title: 'Operation invocation', machine: () => atOnce },
  } as const satisfies Record<string, OwnChart>
  const chartFor = (needsApproval: boolean) => (needsApproval ? charts.approved : charts.atOnce)

  const alongWith = (row: InvocationRow, change: InvocationChange, store: Store): Write[] => [
    ...approvalWrites(store, row, change, limits),
    ...consequences(store, row, change),
    ...(traces?.writes(row, change) ?? []),
  ]

  const kind = defineActor<InvocationRow, InvocationContext, InvocationEvent, InvocationSeed>({
    machine,
    chartOf: ({ approval_id }) => chartFor(approval_id !== null),
    table: {
      get: getInvocation,
      insert: (store, row) => [...admission(store, row), insertInvocation(store, row)],
      update: updateInvocation,
    },
    columns: ({ performer, cause }, { moves }) => ({
      performer,
      output: outputOf(moves),
      error: cause && JSON.stringify(cause),
    }),
    isKept: ({ input, output }) => isSmall(input, output),
    seeded: (seed) => seed,
    born: (row, change, store) => [...boundOf(store, row), ...alongWith(row, change, store)],
    moved: alongWith,
    describe: ({ performances, cause }) => ({ attempt: performances, reason: cause }),
    effects: {
      perform: {
        hint: ({ performance }: { performance: number }, { address }) => effects.perform(address.id, performance),
      },
      breakOff: { hint: (_, { address }) => effects.abort(address.id) },
      tellOrigin: { durable: (_, { address }) => effects.tellOrigin(address.id) },
    },
    view: {
      permission: 'operation-invocations:list',
      place: findPlaceOfInvocation,
      show: ({ repeatable, performances, canceled, approval, decidedAt, cause, conflict }) => ({
        repeatable,
        performances,
        canceled: canceled ?? false,
        approval,
        decidedAt: timestampOrNull(decidedAt),
        cause: cause && { code: cause.code, message: cause.message },
        conflict,
      }),
    },
  })
  return { ...kind, chartFor }
}

function outputOf(moves: InvocationChange['moves']): string | null {
  const performed = moves.findLast(({ event }) => event.type === 'performed')
  return performed ? JSON.stringify((performed.event as { output?: unknown }).output ?? null) : null
}

/** Conditions that must hold at the commit; else `StaleWrite`. */
const admission = (store: Store, row: InvocationRow): Write[] => [
  noneGoing(store, row),
  // the run may have continued since the call was made
  ...(row.agent_run_id === null ? [] : wanted(store, row)),
]

/** Requests or decides the approval. */
function approvalWrites(
  store: Store,
  row: InvocationRow,
  { moves }: InvocationChange,
  { approvalTtlMs }: InvocationLimits,
): Write[] {
  if (row.approval_id === null) return []
  return moves.flatMap((move) => {
    const { approval, decidedAt } = move.context
    if (move.from === null) {
      const asked: ApprovalRow = {
        id: row.approval_id as string,
        organization_id: row.organization_id,
        environment_id: row.environment_id,
        invocation_id: row.id,
        agent_id: row.agent_id,
        operation: row.operation,
        status: 'pending',
        decided_by_type: null,
        decided_by_id: null,
        decided_at: null,
        note: null,
        expires_at: move.event.at + approvalTtlMs,
        created_at: move.event.at,
      }
      return [insertApproval(store, asked)]
    }
    if (move.from !== 'pending_approval' || move.to === move.from || !approval) return []
    const byPerson = approval === 'approved' || approval === 'rejected'
    return [
      // an approval counts only while the call is still wanted
      ...(approval === 'approved' ? wanted(store, row) : []),
      decideApproval(store, {
        id: row.approval_id as string,
        status: approval,
        decided_by_type: byPerson ? move.by.type : null,
        decided_by_id: byPerson ? move.by.id : null,
        decided_at: decidedAt,
        note: noteOf(move),
      }),
    ]
  })
}

function wanted(store: Store, row: InvocationRow): Write[] {
  const { agent_run_id: runId, tool_call_id: toolCallId, run_chain: chain, workflow_run_id: workflowRunId } = row
  if (runId !== null && toolCallId !== null) return [callIsWanted(store, { runId, toolCallId, chain: chain ?? 0 })]
  // a compensation is wanted just because its run is canceled
  const isCompensation = row.step_id !== null && compensatedBy(row.step_id) !== undefined
  return workflowRunId === null || isCompensation ? [] : [stepIsWanted(store, { workflowRunId })]
}

const noteOf = ({ event }: InvocationMove): string | null => ('note' in event ? (event.note ?? null) : null)

/** What the moves write elsewhere: the history, and the calling run. */
const consequences = (store: Store, row: InvocationRow, { moves }: InvocationChange): Write[] =>
  moves.flatMap((move) => {
    if (move.from === move.to) return []
    const { at } = move.event
    const outcome = isKept(move) && row.agent_run_id !== null ? callOutcomeOf(progressOf(row)) : undefined
    return [
      ...recordEvents(store, row, move),
      ...(outcome
        ? [
            keepCallResult(store, {
              run_id: row.agent_run_id as string,
              tool_call_id: row.tool_call_id as string,
              outcome: JSON.stringify(outcome),
              created_at: at,
            }),
          ]
        : []),
    ]
  })

/**
 * An unknown outcome is not reported to a run that does not wait: its next attempt closes the call in a separate step.
 * A later resolution is not reported to any run, because the run has continued.
 */
const isKept = ({ from, to, context }: InvocationMove): boolean =>
  from !== 'unknown' && (to !== 'unknown' || context.awaited)

function recordEvents(store: Store, row: InvocationRow, { from, to, by, event, context }: InvocationMove): Write[] {
  const place = {
    organizationId: row.organization_id,
    projectId: row.project_id,
    environmentId: row.environment_id,
    actor: by,
    at: event.at,
    trace: row.trace,
  }
  const about = {
    invocationId: row.id,
    approvalId: row.approval_id,
    operation: row.operation,
    agentId: row.agent_id,
    agentRunId: row.agent_run_id,
    workflowRunId: row.workflow_run_id,
    stepId: row.step_id,
    deploymentId: row.deployment_id,
  }
  const moved = recordEvent(store, {
    ...place,
    type: 'operation.invocation.status_changed',
    subject: { type: 'operationInvocation', id: row.id },
    data: { ...about, from, to },
  })
  const { approval } = context
  if (row.approval_id === null || !approval || (from !== null && from !== 'pending_approval')) return moved
  return [
    ...moved,
    ...recordEvent(store, {
      ...place,
      type: 'operation.approval.status_changed',
      subject: { type: 'operationApproval', id: row.approval_id },
      data: { ...about, from: from === null ? null : 'pending', to: approval },
    }),
  ]
}
