/**
 * Receives the reports of attempts: the server's side of the runner protocol for every transport. Each report becomes
 * an event for the run's actor, which rejects reports of ended or replaced attempts. Reports are forwarded in order
 * without waiting in between, so that concurrent ones commit together. Source: contract 5, "Runner protocol".
 */
import type { AnyEventObject } from 'xstate'
import type { RunContext } from '../../../../machines/run.ts'
import { invalid } from '../../../platform/http/answers/errors.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import { type RunRecord, runAddress } from '../../record.ts'
import type { Report } from '../../reports.ts'
import {
  type CheckpointReport,
  type CompletionReport,
  type Signal,
  StaleAttempt,
  type StepDelta,
  type StepStart,
  type StepUpdate,
} from '../../runner/protocol/protocol.ts'
import type { AttemptSession } from '../sessions.ts'
import { finalEvent } from './final-event.ts'
import { goOnWith, inTurn } from './order.ts'
import { type AttemptReportsParts, isOfChain, type Remember, type Sent } from './parts.ts'
import { sendReport } from './send-report.ts'
import { currencyOf, usedByEnd } from './step-costs.ts'
import { stepEnding, stepRow } from './step-rows.ts'

const withoutCheckpoint =
  'First write a checkpoint of kind `suspended` in this attempt: `POST …/steps/{agentStepId}/checkpoints`.'

export class AttemptReports {
  /** Whether attempts are drained because the server shuts down. */
  #draining = false

  constructor(private readonly parts: AttemptReportsParts) {}

  /** Asks every attempt of this process to hand its run back at its next report. */
  drain() {
    this.#draining = true
    this.parts.onDrain()
    this.parts.sessions.signalAll('drain')
  }

  /** The attempt is running. A repeated report has no effect. `patient`: it is stored with the next report, or soon. */
  boot(claims: AttemptClaims, patient = false): Promise<void> {
    return this.#inOrder(claims, (session) => {
      if (session.rootStepId !== null) return this.assertCurrent(claims)
      const id = this.parts.nextStepId()
      return goOnWith(session, id, async (agentStepId) => {
        session.rootStepId = agentStepId
        const rootStep = stepRow(
          session,
          agentStepId,
          { kind: 'agent', name: session.agents.get(session.agentId)?.name ?? session.agentId, input: null },
          { at: this.parts.clock.now(), prices: this.parts.prices },
        )
        try {
          await this.#report(claims, { type: 'booted', rootStep }, { patient })
        } catch (error) {
          session.rootStepId = null
          throw error
        }
      })
    })
  }

  async startStep(
    claims: AttemptClaims,
    step: StepStart,
    remember?: Remember<{ agentStepId: number }>,
  ): Promise<{ agentStepId: number }> {
    const { agentStepId, stored } = await this.beginStep(claims, step, { remember })
    await stored
    return { agentStepId }
  }

  /** The same, once its id is known. `patient`: it is stored with the next report, or soon. */
  beginStep(
    claims: AttemptClaims,
    step: StepStart,
    { remember, patient }: { remember?: Remember<{ agentStepId: number }> | undefined; patient?: boolean },
  ): Promise<{ agentStepId: number; stored: Promise<void> }> {
    return this.#inOrder(claims, (session) =>
      goOnWith(session, this.parts.nextStepId(), async (agentStepId) => {
        const { clock, prices } = this.parts
        const row = stepRow(session, agentStepId, step, { at: clock.now(), prices })
        session.openSteps.set(agentStepId, row)
        const writes = remember?.({ agentStepId })
        const isWeighed = session.hasBudget && step.kind === 'model'
        const stored = this.#progress(session, claims, [{ report: 'stepStarted', row }], {
          writes,
          ...(isWeighed ? { begins: { currency: currencyOf(prices, row) } } : { patient }),
        })
        // the caller that awaits `stored` handles the failure
        stored.catch(() => {})
        // the model is called only after the budget has allowed the step
        if (isWeighed) await stored
        return { agentStepId, stored }
      }),
    )
  }

  endStep(claims: AttemptClaims, agentStepId: number, update: StepUpdate): Promise<void> {
    const knows = ({ openSteps }: AttemptSession) => openSteps.has(agentStepId)
    const end = (session: AttemptSession) =>
      goOnWith(session, this.parts.stopCall(session, agentStepId), () => {
        const step = session.openSteps.get(agentStepId)
        const shown = stepEnding(step, update)
        const { status, execution } = shown
        const counted = usedByEnd(this.parts.prices, step, { execution, usage: update.tokenUsage })
        const ending = { ...shown, cost: counted ? counted.cost : (step?.cost ?? null) }
        if (step) session.openSteps.set(agentStepId, { ...step, status, execution, cost: ending.cost })
        // from here on the step accepts no deltas
        if (update.status !== 'waiting') session.openSteps.delete(agentStepId)
        const ended = this.#progress(session, claims, [{ report: 'stepEnded', agentStepId, ending }], {
          used: counted?.used,
        })
        return ended.catch((error) => {
          // A step whose end was not stored stays open: the report may be repeated.
          if (step) session.openSteps.set(agentStepId, step)
          throw error
        })
      })
    return this.#inOrder(claims, end, knows)
  }

  checkpoint(
    claims: AttemptClaims,
    agentStepId: number,
    report: CheckpointReport,
    remember?: Remember<{ checkpointId: number }>,
  ): Promise<{ checkpointId: number; at: number }> {
    return this.#inOrder(claims, async (session) => {
      if (!isOfChain(report, session)) {
        await this.#refuse(claims, '/body/runtimeCheckpoint/chain', `Must be ${session.chain}, as in the assignment.`)
      }
      return goOnWith(session, this.parts.nextCheckpointId(), (checkpointId) => {
        const at = this.parts.clock.now()
        return goOnWith(
          session,
          this.parts.checkpoints.write(session, agentStepId, report, checkpointId, at),
          async (row) => {
            const { suspended } = session
            session.suspended = report.kind === 'suspended'
            try {
              await this.#progress(session, claims, [{ report: 'checkpointed', row }], {
                writes: remember?.({ checkpointId }),
              })
            } catch (error) {
              session.suspended = suspended
              // The next checkpoint cannot build on one that was not stored.
              session.lastCheckpoint = undefined
              throw error
            }
            return { checkpointId, at }
          },
        )
      })
    })
  }

  /** Streamed text of open steps. Throws 422 for a step that has ended. */
  deltas(claims: AttemptClaims, deltas: StepDelta[], remember?: Remember<null>): Promise<void> {
    const endedOf = ({ rootStepId, openSteps }: AttemptSession) =>
      deltas.findIndex(({ agentStepId }) => agentStepId !== rootStepId && !openSteps.has(agentStepId))
    const add = (session: AttemptSession) => {
      const ended = endedOf(session)
      if (ended !== -1) return this.#refuse(claims, `/body/events/${ended}/agentStepId`, 'The step has ended.')
      return this.#progress(session, claims, [{ report: 'streamed', deltas }], { writes: remember?.(null) })
    }
    return this.#inOrder(claims, add, (session) => endedOf(session) === -1)
  }

  /** Stores the patient reports of the attempt now. */
  hurry({ agentRunId }: AttemptClaims): void {
    this.parts.actors.hurry(runAddress(agentRunId))
  }

  /** Throws 422 for an invalid report, or `StaleAttempt` if the attempt is no longer current. */
  async #refuse(claims: AttemptClaims, path: string, message: string): Promise<never> {
    await this.assertCurrent(claims)
    throw invalid([{ path, message }])
  }

  /** Throws `StaleAttempt` if the attempt is no longer current. */
  async assertCurrent(claims: AttemptClaims): Promise<void> {
    const actor = await this.parts.actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    if (actor?.context.lease?.fencingToken === claims.fencingToken) return
    throw new StaleAttempt('The attempt has ended or was replaced.')
  }

  /** Renews the lease and returns the signal for the runner. */
  async heartbeat(claims: AttemptClaims): Promise<{ expiresAt: number; signal: Signal }> {
    const { actors, leases, leaseTtlMs, sessions, clock } = this.parts
    const actor = await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    const held = actor?.context.lease
    if (!actor || !held || held.fencingToken !== claims.fencingToken) throw new StaleAttempt()
    const lease = await leases.renew(held.machine, claims.attemptId, claims.fencingToken, leaseTtlMs)
    if (!lease) throw new StaleAttempt()
    // After a restart, an attempt is monitored again from its first heartbeat.
    const session = sessions.find(claims)
    if (session instanceof Promise) await session
    sessions.beat(claims, clock.now(), leaseTtlMs)
    return {
      expiresAt: lease.expiresAt,
      signal: actor.context.stopRequested ? 'cancel' : this.#draining ? 'drain' : 'continue',
    }
  }

  /** The final report; idempotent. */
  async complete(claims: AttemptClaims, report: CompletionReport): Promise<void> {
    const reportDigest = digestOf(report)
    const event = { ...(await finalEvent(report, this.parts.approvals)), reportDigest }
    try {
      await this.#inOrder(claims, (session) =>
        goOnWith(session, this.#readyToEnd(session, report), (ready) =>
          ready
            ? this.#report(claims, event, { orElse: { type: 'reported', reportDigest } })
            : this.#reportUnsaved(claims, reportDigest),
        ),
      )
    } catch (error) {
      if (!(error instanceof StaleAttempt) || !(await this.#hasSettled(claims, reportDigest))) throw error
    }
    this.parts.sessions.end(claims.attemptId)
  }

  async #hasSettled({ agentRunId, attemptId }: AttemptClaims, reportDigest: string) {
    const settled = (await this.parts.actors.read<RunRecord, RunContext>(runAddress(agentRunId)))?.context.settled
    return settled?.attemptId === attemptId && settled.reportDigest === reportDigest
  }

  /** Whether a suspending attempt has written its checkpoint, without which the run would start over. */
  #readyToEnd(session: AttemptSession, { outcome }: CompletionReport): boolean | Promise<boolean> {
    const waits = outcome === 'awaitingToolResult' || outcome === 'awaitingDelegateResult'
    const known = waits ? session.suspended : true
    const metered = this.parts.stopCall(session)
    if (known !== undefined) return metered ? metered.then(() => known) : known
    return Promise.all([this.parts.checkpoints.isSuspended(session), metered]).then(([suspended]) => suspended)
  }

  /** Rejects a suspension without a checkpoint, unless the run is being canceled, which any report settles. */
  async #reportUnsaved(claims: AttemptClaims, reportDigest: string): Promise<void> {
    const actor = await this.parts.actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    if (actor?.state === 'canceling') return this.#report(claims, { type: 'reported', reportDigest })
    await this.#refuse(claims, '/body/outcome', withoutCheckpoint)
  }

  #progress(session: AttemptSession, claims: AttemptClaims, reports: Report[], how?: Sent): Promise<void> {
    session.progressAt = this.parts.clock.now()
    const { used, begins } = how ?? {}
    return this.#report(claims, { type: 'progressed', reports, ...(used && { used }), ...(begins && { begins }) }, how)
  }

  #report(claims: AttemptClaims, event: AnyEventObject, how?: Sent): Promise<void> {
    return sendReport(this.parts, claims, event, how)
  }

  /** Runs `work` with the attempt's session: at once, or after the preparation in progress. `knows`: as for `find`. */
  #inOrder<Result>(
    claims: AttemptClaims,
    work: (session: AttemptSession) => Promise<Result>,
    knows?: (session: AttemptSession) => boolean,
  ): Promise<Result> {
    const { sessions } = this.parts
    const begin = (session: AttemptSession) => sessions.during(session, () => inTurn(session, work))
    try {
      const found = sessions.find(claims, knows)
      return found instanceof Promise ? found.then(begin) : begin(found)
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
