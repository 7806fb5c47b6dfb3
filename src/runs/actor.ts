/**
 * The run's kind of actor: its row, the reasons in its journal, its effects. `project.ts` makes the statements of a
 * change.
 */
import type { createRunMachine, RunContext, WatchedTime } from '../../machines/run.ts'
import type { Cause } from '../../machines/words.ts'
import { latestCheckpoint } from '../../storage/runs/checkpoints.ts'
import { findRun } from '../../storage/runs/run-lists.ts'
import { chainTimes, getRun, lastStreamSequence } from '../../storage/runs/runs.ts'
import { listOpenSteps } from '../../storage/runs/steps.ts'
import { setRunTimer } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import { defineActor, snapshotOfRow } from '../runtime/define-actor.ts'
import type { WorkShare } from '../runtime/work-share.ts'
import { weighContinue } from './admission/admission.ts'
import { wholeContext } from './context.ts'
import { project } from './project.ts'
import type { Live, RunCommand, RunRecord, RunSeed } from './record.ts'
import { publicRunContext } from './run-context.ts'
import type { PeriodOf, Reserve } from './statistics/usage.ts'
import type { Frame } from './stream/frames.ts'
import { renderFrame } from './stream/render.ts'
import type { RunTraces } from './traces/run-traces.ts'

/** The run's effects. All except `releaseMachine` are wake-ups and may be lost: the row itself shows the work to do. */
export interface RunEffects {
  /** A run has become available to runners. */
  offerToRunners(runId: string): void
  /** The runner of this run's attempt should read the answer to its heartbeat now. */
  signalWorker(runId: string): void
  /** The run waits for calls. Those that ended earlier are reported to it. */
  lookForDecisions(runId: string): Promise<void>
  /** Withdraws the run's open approvals. The next server start withdraws those that this misses. */
  withdrawApprovals(runId: string): void
  /** Cancels the run's calls. The next server start cancels those that this misses. */
  breakOffCalls(runId: string): void
  /**
   * Called when a run has ended while messages wait, to continue it with the next one; maintenance repeats missed
   * calls.
   */
  startNextInput(runId: string): void
  /** The machine slot is free again. If the effect is lost, the lease expires. */
  releaseMachine(lease: { machine: string; fencingToken: number }): void
}

interface RunKindParts {
  /** Omitted: usage is not counted. */
  periodOf?: PeriodOf
  /** Omitted: nothing is metered. */
  reserve?: Reserve
  /** Whether the server has prices. */
  costed?: boolean
  /** The servers of the store; omitted: only one. */
  members?: Pick<WorkShare, 'isShared'>
  /** The timings of an attempt in progress. */
  watchedOf?(runId: string): WatchedTime | undefined
  /** null: traces are disabled. */
  traces?: Pick<RunTraces, 'writes' | 'earlier'> | null
}

export function runKind(
  machine: ReturnType<typeof createRunMachine>,
  effects: RunEffects,
  { periodOf, reserve = () => undefined, watchedOf, traces = null, costed = false, members }: RunKindParts = {},
) {
  return defineActor<RunRecord, RunContext, RunCommand>({
    machine,
    async load(store, id) {
      const row = await store.first<RunRow>(getRun(store, { id }))
      return row && { row, live: undefined }
    },
    snapshot: ({ row }) => ({ ...snapshotOfRow(row), context: wholeContext(row.context) }),
    renew: ({ live }, { row }) => ({ row, live }),
    setTimer: setRunTimer,
    tell: (news) => (news as readonly Frame[]).map(renderFrame),
    measure(id) {
      const watched = watchedOf?.(id)
      return watched && { watched }
    },
    describe: (context, event) => ({ attempt: context.attempt, reason: reasonOf(context, event) }),
    apply(change, store) {
      const { row } = change.before?.row ?? (change.seed as RunSeed)
      const known = change.before
        ? (change.before.row.live ?? loadLive(store, change.before.row.row, change.before.context))
        : newLive(change.at)
      const now = periodOf?.(row.organization_id)
      const server = { version: machine.version ?? '1', traces, costed, isShared: members?.isShared ?? false }
      const used = traces?.earlier(change, store)
      return used || known instanceof Promise || now instanceof Promise
        ? Promise.all([known, now, used]).then(([live, period, earlier]) =>
            project(change, store, { ...server, live, period, earlier }),
          )
        : project(change, store, { ...server, live: known, period: now })
    },
    effects: {
      keepReports: 'inCommit',
      lookForDecisions: { durable: (_, { address }) => effects.lookForDecisions(address.id) },
      withdrawApprovals: { hint: (_, { address }) => effects.withdrawApprovals(address.id) },
      breakOffCalls: { hint: (_, { address }) => effects.breakOffCalls(address.id) },
      startNextInput: { hint: (_, { address }) => effects.startNextInput(address.id) },
      offerToRunners: { hint: (_, { address }) => effects.offerToRunners(address.id) },
      signalWorker: { hint: (_, { address }) => effects.signalWorker(address.id) },
      releaseMachine: { hint: (lease: { machine: string; fencingToken: number }) => effects.releaseMachine(lease) },
    },
    view: {
      permission: 'agent-runs:get',
      place: findRun,
      async facts(caller, actor, event) {
        if (event.type !== 'continue') return {}
        const { facts } = await weighContinue(caller, actor, { look: true, reserve })
        // it answers every call that the run waits for, unless it names some
        const { answered = actor.context.awaiting.map(({ toolCallId }) => toolCallId) } = event
        return { ...facts, answered }
      },
      show: publicRunContext,
    },
  })
}

/** The journal's reason for the run's new state, if it has one. */
const reasonOf = (context: RunContext, event: RunCommand): Cause | null =>
  'cause' in event ? event.cause : context.cause

const newLive = (at: number): Live => ({
  lastSequence: 0,
  lastCheckpointSequence: 0,
  waitingBytes: 0,
  openSteps: new Map(),
  times: { openedAt: at, begunAt: null },
})

async function loadLive(store: Store, { id: runId, created_at }: RunRow, context: RunContext): Promise<Live> {
  const [lastSequence, checkpoint, openSteps, times] = await Promise.all([
    lastStreamSequence(store, runId),
    store.first(latestCheckpoint(store, { runId })),
    store.all(listOpenSteps(store, { runId })),
    // the snapshot gives the reason for the first chain, the journal for later ones
    context.chain === 1
      ? { openedAt: created_at + (context.delayMs ?? 0), begunAt: context.startedAt }
      : chainTimes(store, runId),
  ])
  return {
    lastSequence,
    lastCheckpointSequence: checkpoint?.sequence ?? 0,
    waitingBytes: 0,
    openSteps: new Map(openSteps.map((step) => [step.agent_step_id, step])),
    times: { openedAt: times.openedAt ?? created_at, begunAt: times.begunAt },
  }
}
