/** Starts invocations: admits each origin's call once and stores its row. Source: contract 6. */
import {
  findInvocationOfCall,
  findInvocationOfStep,
  getInvocationDepth,
} from '../../../../storage/automation/invocations.ts'
import { attemptIsCurrent } from '../../../../storage/automation/wanted-invocations.ts'
import { LimitReached } from '../../../../storage/bounds.ts'
import { UniqueViolation } from '../../../../storage/errors.ts'
import { newId } from '../../../../storage/ids.ts'
import type { Store, Write } from '../../../../storage/store.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { storedSpan } from '../../../platform/tracing/own-span.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { isConcurrentChange } from '../../../runtime/refusals.ts'
import type { PreparedCall } from '../../workers/worker-calls.ts'
import { toolError } from '../failure.ts'
import { isRepeatable, type Operations, takesLong } from '../operations.ts'
import { type InvocationKind, type InvocationSeed, invocationAddress } from './actor.ts'
import type { InvocationProgress, NewInvocation, Origin } from './invocation.ts'
import type { InvocationTraces } from './invocation-traces.ts'
import { progressOf } from './outcome.ts'

/** Facts of an origin besides its name. */
export interface OriginFacts {
  /** For a run: the calling chain and attempt, and the run's creator. */
  run?: { chain: number; fencingToken: number; createdById: string }
  /** For a request: its key, and the digest that identifies it. */
  key?: { userId: string; idempotencyKey: string; requestDigest: string }
  /** Statements that commit with the invocation. */
  writes?: (row: InvocationRow) => Write[]
}

interface InvocationStarterParts extends Pick<InvocationKind, 'chartFor'> {
  store: Store
  clock: Clock
  actors: Actors
  operations: Operations
  /** The name of this process as a performer. */
  performer: string
  /** null: traces are disabled. */
  traces: InvocationTraces | null
}

/** The deepest nesting of operations that run Agents. */
export const depthMax = 5

export class InvocationStarter {
  constructor(private readonly parts: InvocationStarterParts) {}

  /** Throws `OperationFailure`, and for a request `concurrent_change` (409) if its resources have changed. */
  async begin(invocation: NewInvocation, facts: OriginFacts = {}): Promise<InvocationProgress> {
    const known = await this.#known(invocation.origin)
    if (known) return known
    const { clock, actors, operations, performer, chartFor, traces } = this.parts
    const { bundle, agent, operation: name, input, origin, by, above = null } = invocation
    const operation = await operations.admit({ bundle, agent, name, input })
    const depth = await this.#depth(facts)
    const at = clock.now()
    const span = traces?.begin(origin, above)
    const needsApproval = operation.approval === 'always'
    const seed: InvocationSeed = {
      id: newId('opi', at),
      organization_id: bundle.bundle.organizationId,
      project_id: bundle.bundle.projectId,
      environment_id: bundle.bundle.environmentId,
      deployment_id: bundle.bundle.deploymentId,
      agent_id: agent.agentId,
      operation: name,
      ...columnsOf(origin, facts),
      depth,
      trace: span ? storedSpan(span) : null,
      approval_id: needsApproval ? newId('apr', at) : null,
      input: JSON.stringify(input ?? null),
      created_by_type: by.type,
      created_by_id: by.id,
    }
    const awaited = origin.type === 'workflow' || (origin.type === 'run' && (needsApproval || takesLong(operation)))
    const create = async (call: PreparedCall | undefined) => {
      const creation = { input: { repeatable: isRepeatable(operation), awaited, performer }, seed, named: 'invoke' }
      const { actor } = await actors.create<InvocationRow>(invocationAddress(seed.id), creation, {
        by,
        chart: chartFor(needsApproval),
        writes: ({ actor: { row } }) => [
          ...this.#conditions(origin, facts),
          ...(facts.writes?.(row) ?? []),
          ...(call?.writes ?? []),
        ],
      })
      if (span) traces?.started(origin, span)
      return progressOf(actor.row)
    }
    let call: PreparedCall | undefined
    try {
      if (needsApproval) return await create(undefined)
      call = await operations.prepare({
        bundle,
        agent,
        name,
        input,
        operation,
        callKey: seed.id,
        inputText: seed.input,
        trace: seed.trace,
      })
      return await create(call)
    } catch (error) {
      call?.drop()
      // the execution finds no room for its call, and fails with that error
      if (error instanceof LimitReached && error.reached?.name === 'queuedWorkerCalls') return create(undefined)
      const isGone = isConcurrentChange(error)
      // a call that was begun elsewhere at the same time may also have been answered since
      if (error instanceof UniqueViolation || isGone) {
        const first = await this.#known(origin)
        if (first) return first
      }
      // a request resolves its resources again
      if (isGone && origin.type !== 'api') throw toolError('The caller has ended or is being deleted.')
      throw error
    }
  }

  /** A former attempt makes no calls: the one that goes on with its turn does not wait for them. */
  #conditions(origin: Origin, { run }: OriginFacts): Write[] {
    if (origin.type !== 'run' || !run) return []
    const { agentRunId: runId } = origin
    return [attemptIsCurrent(this.parts.store, { runId, fencingToken: run.fencingToken })]
  }

  async #known(origin: Origin): Promise<InvocationProgress | undefined> {
    const { store } = this.parts
    if (origin.type === 'api') return undefined
    const found = await store.first(
      origin.type === 'run'
        ? findInvocationOfCall(store, { agentRunId: origin.agentRunId, toolCallId: origin.toolCallId })
        : findInvocationOfStep(store, origin),
    )
    const actor = found && (await this.parts.actors.read<InvocationRow>(invocationAddress(found.id)))
    return actor && progressOf(actor.row)
  }

  /** The depth of nesting. The creator of a run that an operation starts is its invocation. */
  async #depth({ run }: OriginFacts): Promise<number> {
    if (!run?.createdById.startsWith('opi_')) return 0
    const { store } = this.parts
    const above = await store.first(getInvocationDepth(store, { id: run.createdById }))
    const depth = (above?.depth ?? 0) + 1
    if (depth > depthMax) throw toolError(`Operations that run Agents can be nested at most ${depthMax} deep.`)
    return depth
  }
}

type OriginColumns = Pick<
  InvocationRow,
  | 'agent_run_id'
  | 'tool_call_id'
  | 'run_chain'
  | 'workflow_run_id'
  | 'step_id'
  | 'attempt'
  | 'user_id'
  | 'idempotency_key'
  | 'request_digest'
>

const columnsOf = (origin: Origin, { run, key }: OriginFacts): OriginColumns => ({
  agent_run_id: origin.type === 'run' ? origin.agentRunId : null,
  tool_call_id: origin.type === 'run' ? origin.toolCallId : null,
  run_chain: origin.type === 'run' ? (run?.chain ?? 0) : null,
  workflow_run_id: origin.type === 'workflow' ? origin.workflowRunId : null,
  step_id: origin.type === 'workflow' ? origin.stepId : null,
  attempt: origin.type === 'workflow' ? origin.attempt : null,
  user_id: key?.userId ?? null,
  idempotency_key: key?.idempotencyKey ?? null,
  request_digest: key?.requestDigest ?? null,
})
