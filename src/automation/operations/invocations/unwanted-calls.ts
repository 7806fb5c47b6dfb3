/**
 * Ends invocations whose outcome is no longer wanted. A request for it may come late, for instance from a server that
 * has paused, or again: what the run or workflow has asked for since then is kept. Source: contract 6.
 */
import type { StepToBegin } from '../../../../machines/workflow-run.ts'
import { listPendingOfWorkflow } from '../../../../storage/automation/invocations.ts'
import {
  findUnwanted,
  findUnwantedStep,
  listToAbortOfRun,
  listUnwantedOfRun,
} from '../../../../storage/automation/wanted-invocations.ts'
import type { Store } from '../../../../storage/store.ts'

interface UnwantedCallParts {
  store: Store
  /** Sends an event to an invocation, which may have ended. */
  send(id: string, event: { type: 'withdraw' | 'cancel' }): Promise<void>
}

/** A run, or the attempts of a workflow run, whose approvals must be withdrawn. */
export type Withdrawn = { agentRunId: string } | { workflowRunId: string; steps: readonly StepToBegin[] }

export class UnwantedCalls {
  constructor(private readonly parts: UnwantedCallParts) {}

  /** Cancels those that wait for an approval; they never run. */
  async withdraw(origin: Withdrawn): Promise<void> {
    const { store } = this.parts
    const unwanted =
      'agentRunId' in origin
        ? await store.all(listUnwantedOfRun(store, { runId: origin.agentRunId }))
        : await this.#pendingOf(origin)
    await this.#each(unwanted, 'withdraw')
  }

  /** The same for a canceled or expired run; also aborts those in progress. */
  async abort({ agentRunId: runId }: { agentRunId: string }): Promise<void> {
    const { store } = this.parts
    await this.#each(await store.all(listToAbortOfRun(store, { runId })), 'cancel')
  }

  /** Ends an invocation whose approval is no longer wanted. */
  async withdrawOne(id: string): Promise<void> {
    const { store, send } = this.parts
    const found =
      (await store.first(findUnwanted(store, { id }))) ?? (await store.first(findUnwantedStep(store, { id })))
    if (found) await send(id, { type: 'withdraw' })
  }

  async #pendingOf({ workflowRunId, steps }: Extract<Withdrawn, { steps: unknown }>) {
    const { store } = this.parts
    const pending = await store.all(listPendingOfWorkflow(store, { workflowRunId }))
    return pending.filter(({ step_id, attempt }) =>
      steps.some((step) => step.stepId === step_id && step.attempt === attempt),
    )
  }

  async #each(found: readonly { id: string }[], type: 'withdraw' | 'cancel'): Promise<void> {
    await Promise.all(found.map(({ id }) => this.parts.send(id, { type })))
  }
}
