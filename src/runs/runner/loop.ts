/**
 * Runs an attempt from its boot to its final report: the run's own agent, its delegates, and suspension or
 * interruption. Source: contract 5; design 4.
 */
import { AgentLoop, startModelStep } from './agent-loop.ts'
import type { AgentPlace, AttemptWork } from './attempt-work.ts'
import { Conversations } from './conversation/conversations.ts'
import { closings } from './conversation/messages.ts'
import type { Interruption } from './interruption.ts'
import { type Assignment, type CompletionReport, StaleAttempt } from './protocol/protocol.ts'
import type { Reports } from './protocol/reports.ts'
import type { RunnerServices } from './services.ts'
import { suspend } from './suspension.ts'

export class AttemptLoop {
  readonly #work: AttemptWork
  readonly #own: AgentPlace

  constructor(assignment: Assignment, reports: Reports, interruption: Interruption, services: RunnerServices) {
    const conversations = new Conversations(assignment)
    this.#work = { assignment, conversations, reports, interruption, services }
    this.#own = { agent: ownAgent(assignment), conversation: conversations.own, delegateStepId: null, level: 0 }
  }

  /**
   * Runs the attempt and returns its outcome; the last reports before it may still be in transit. Throws StaleAttempt
   * if the attempt is lost, or the error of a failed report.
   */
  async run(): Promise<CompletionReport> {
    this.#work.reports.boot()
    const end = await new AgentLoop(this.#work, this.#own).run()
    switch (end.end) {
      case 'completed':
        return { outcome: 'completed', stopReason: end.stopReason, output: end.output }
      case 'failed':
        return { outcome: 'failed', error: end.error }
      case 'waiting':
        return (await suspend(this.#work, end.awaited)) ?? this.#windDown()
      case 'interrupted':
        return this.#windDown()
    }
  }

  async #windDown(): Promise<CompletionReport> {
    const { interruption, reports } = this.#work
    const { reason } = interruption
    if (reason === 'drain') return drained
    if (reason === 'cancel') {
      await this.#keepConversation()
      return { outcome: 'canceled' }
    }
    if (reason === 'broken') await reports.settle()
    throw new StaleAttempt('The lease was lost.')
  }

  /** Closes open calls and stores partial text, so that a later chain resumes from a complete conversation. */
  async #keepConversation() {
    const { conversation } = this.#own
    for (const call of conversation.openCalls) conversation.answer(call, closings.canceled)
    conversation.applyInput()
    if (!conversation.unsaved) return
    const { conversations, reports } = this.#work
    let agentStepId = reports.lastStepId
    if (agentStepId === null) {
      // A checkpoint needs a step, but the cancel came before the first one.
      agentStepId = await startModelStep(this.#work, this.#own)
      reports.endStep(agentStepId, { status: 'canceled' })
    }
    reports.checkpoint(agentStepId, { kind: 'step', runtimeCheckpoint: conversations.checkpoint() })
  }
}

const ownAgent = ({ run, agent, model, operations, delegates }: Assignment): AgentPlace['agent'] => ({
  agentId: run.agentId,
  agentRevisionId: run.agentRevisionId,
  ...agent,
  model,
  operations,
  delegates,
})

/** The report that hands an attempt back, which uses up no retry. */
const drained: CompletionReport = {
  outcome: 'failed',
  error: { code: 'machine_unavailable', retryable: true, message: 'The runner was drained.' },
}
