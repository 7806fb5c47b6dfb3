/** Invocations in the API. Their lifecycle is in `invocation-work.ts`. Source: contract 6. */
import type { InvocationContext } from '../../../../machines/operation-invocation.ts'
import { isWanted, type WorkflowRunContext } from '../../../../machines/workflow-run.ts'
import { listInvocations } from '../../../../storage/automation/invocation-lists.ts'
import { findInvocation, findInvocationOfKey } from '../../../../storage/automation/invocations.ts'
import { UniqueViolation } from '../../../../storage/errors.ts'
import { projectAdmits, stillActive } from '../../../../storage/runs/runs.ts'
import type { Store } from '../../../../storage/store.ts'
import type { InvocationRow, WorkflowRunRow } from '../../../../storage/tables.ts'
import type { BundledAgent } from '../../../delivery/deployments/bundle.ts'
import type { Bundles, DeployedBundle } from '../../../delivery/deployments/bundles.ts'
import {
  ApiError,
  conflict,
  invalid,
  keyReused,
  notFound,
  orNotFound,
  targetNotFound,
  tooLarge,
} from '../../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../../platform/http/cursor.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import { belowId, readLargePage } from '../../../platform/http/pagination.ts'
import { assertMatches } from '../../../platform/http/validation/values.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { isConcurrentChange } from '../../../runtime/refusals.ts'
import type { EnvironmentPath } from '../../../tenancy/environments/service.ts'
import { workflowRunAddress } from '../../workflows/actor.ts'
import { OperationFailure } from '../failure.ts'
import { type InvocationActor, invocationAddress } from './actor.ts'
import { deployedAgent } from './deployed.ts'
import type { InvocationWork } from './invocation-work.ts'
import { callOutcomeOf, progressOf } from './outcome.ts'
import {
  type Invocation,
  type InvocationPath,
  type InvocationQuery,
  type InvokeBody,
  type InvokePath,
  presentInvocation,
  type ResolutionBody,
} from './schema.ts'

export interface InvocationParts {
  store: Store
  clock: Clock
  actors: Actors
  cursors: Cursors
  bundles: Bundles
  invocations: InvocationWork
}

/** How long a request waits for the end; then it is answered 202. */
const patienceMs = 25_000
const triesMax = 5

export class InvocationService {
  constructor(private readonly parts: InvocationParts) {}

  /** Newest first. Throws `invalid_cursor` (422). */
  async list(
    caller: Caller,
    { environmentId }: EnvironmentPath,
    { operation, state, agentRunId, ...page }: InvocationQuery,
  ) {
    const { store, cursors } = this.parts
    const { organizationId, scope } = caller
    const filters = {
      ...(operation !== undefined && { operation }),
      ...(state !== undefined && { state }),
      ...(agentRunId !== undefined && { agent_run_id: agentRunId }),
      ...(scope.agentId !== null && { agent_id: scope.agentId }),
    }
    return readLargePage(
      { cursors, scope: { list: 'operation-invocations', organizationId, filters: { environmentId, ...filters } } },
      page,
      (last, limit) => {
        const before = belowId(last)
        const values = { organizationId, environmentId, before, limit, ...filters }
        return store.all<InvocationRow>(listInvocations(filters)(store, values))
      },
      ({ id }) => [id],
      presentInvocation,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, path: InvocationPath): Promise<Invocation> {
    return presentInvocation(await this.#find(caller, path))
  }

  async #find(
    { organizationId, scope }: Caller,
    { environmentId, invocationId: id }: InvocationPath,
  ): Promise<InvocationRow> {
    const { store } = this.parts
    const row = await store.first<InvocationRow>(findInvocation(store, { organizationId, environmentId, id }))
    if (!row || (scope.agentId !== null && row.agent_id !== scope.agentId)) throw notFound()
    return row
  }

  /**
   * Calls the operation and waits a while for its end, but not for an approval. Throws `notFound`, `permission_denied` (403) for
   * an operation that the Agent is not granted, the conflicts of an Agent that is not deployed, 422 for invalid input or a
   * request that becomes too large, and a conflict if the target refuses it.
   */
  async invoke(
    caller: Caller,
    path: InvokePath,
    body: InvokeBody,
    record: RequestRecord,
  ): Promise<{ status: 200 | 202; data: Invocation }> {
    const id = await this.#begin(caller, path, body, record)
    await this.#wait(id)
    const actor = orNotFound(await this.parts.actors.read<InvocationRow, InvocationContext>(invocationAddress(id)))
    const { row, context } = actor as InvocationActor
    if (context.conflict !== null) throw refused(context)
    if (context.cause?.code === 'not_found') throw targetNotFound(context.cause.message)
    if (context.cause?.code === 'too_large') throw tooLarge(context.cause.message)
    return { status: callOutcomeOf(progressOf(row)) ? 200 : 202, data: presentInvocation(row) }
  }

  /** Throws `notFound`, and a conflict unless the outcome is unknown and no workflow run waits for it. */
  async resolve(
    caller: Caller,
    path: InvocationPath,
    body: ResolutionBody,
    record: RequestRecord,
  ): Promise<Invocation> {
    const ofStep = await this.#isOfStep(await this.#find(caller, path))
    const { actor } = await this.parts.actors.send<InvocationRow>(
      invocationAddress(path.invocationId),
      { type: 'resolve', ...body, ofStep },
      { by: caller.principal, writes: ({ actor: { row } }) => record({ data: presentInvocation(row) }) },
    )
    return presentInvocation(actor.row)
  }

  /** Whether a step of a workflow run waits for the outcome. */
  async #isOfStep({ workflow_run_id: runId, step_id: stepId, attempt }: InvocationRow): Promise<boolean> {
    if (runId === null || stepId === null || attempt === null) return false
    const run = await this.parts.actors.read<WorkflowRunRow, WorkflowRunContext>(workflowRunAddress(runId))
    return run !== undefined && isWanted(run.context, { stepId, attempt })
  }

  /** Throws as `invoke` does for an unknown operation or a missing grant. */
  async assertGranted({ organizationId }: Caller, path: InvokePath): Promise<void> {
    const { bundle, agent } = await deployedAgent(this.parts, organizationId, path)
    grantedOperation(bundle, agent, path.operation)
  }

  async #begin(caller: Caller, path: InvokePath, body: InvokeBody, record: RequestRecord): Promise<string> {
    const { invocations, store } = this.parts
    const { operation } = path
    const key = keyOf(caller, path, body)
    for (let tries = 1; ; tries += 1) {
      const known = await this.#known(path.environmentId, key)
      if (known !== undefined) return known
      const { bundle, agent } = await deployedAgent(this.parts, caller.organizationId, path)
      await assertTakes(bundle, agent, operation, body.input)
      try {
        const { id } = await invocations.begin(
          { bundle, agent, operation, input: body.input, by: caller.principal, origin: { type: 'api' } },
          {
            ...(key && { key }),
            writes: (row) => [
              projectAdmits(store, row),
              stillActive(store, row),
              ...record({ data: presentInvocation(row) }),
            ],
          },
        )
        return id
      } catch (error) {
        if (error instanceof OperationFailure) throw invalid([{ path: '/body/input', message: error.message }])
        // a concurrent request used the key, or another Deployment was activated: resolve again
        const isLost = error instanceof UniqueViolation || isConcurrentChange(error)
        if (!isLost || tries === triesMax) throw error
      }
    }
  }

  /** The invocation under this key. Throws `idempotency_key_reused` (422). */
  async #known(environmentId: string, key: Key | undefined): Promise<string | undefined> {
    if (!key) return undefined
    const { store } = this.parts
    const found = await store.first(findInvocationOfKey(store, { environmentId, ...key }))
    if (found && found.request_digest !== key.requestDigest) {
      const message = 'The idempotencyKey was already used for a different call; use a new one.'
      throw keyReused(message, 422, '/body/idempotencyKey')
    }
    return found?.id
  }

  /** Waits until it has ended or awaits approval, up to the patience of a request or the server's stop. */
  async #wait(id: string): Promise<void> {
    const { clock, invocations } = this.parts
    const impatience = new AbortController()
    const timer = clock.after(patienceMs, () => impatience.abort())
    const over = AbortSignal.any([impatience.signal, invocations.stopping])
    try {
      await invocations.settled(id, over)
    } catch (error) {
      if (!over.aborted) throw error
    } finally {
      timer.cancel()
    }
  }
}

interface Key {
  userId: string
  idempotencyKey: string
  requestDigest: string
}

function keyOf(
  { userId }: Caller,
  { agentId, operation }: InvokePath,
  { input, idempotencyKey }: InvokeBody,
): Key | undefined {
  if (idempotencyKey === undefined) return undefined
  return { userId, idempotencyKey, requestDigest: digestOf({ agentId, operation, input }) }
}

async function assertTakes(bundle: DeployedBundle, agent: BundledAgent, name: string, input: unknown): Promise<void> {
  const operation = grantedOperation(bundle, agent, name)
  const { organizationId } = bundle.bundle
  await assertMatches({ schema: operation.inputSchema, value: input, organizationId, at: '/body/input' })
}

/** Throws `notFound`, `permission_denied` (403). */
function grantedOperation(bundle: DeployedBundle, agent: BundledAgent, name: string) {
  const operation = bundle.operation(name)
  if (!operation) throw new ApiError(404, 'not_found', `The active Deployment has no operation ${name}.`)
  if (!agent.grantedOperations.includes(name)) {
    throw new ApiError(403, 'permission_denied', `The Agent is not granted ${name}.`, { details: { permission: name } })
  }
  return operation
}

/** The conflict if the target refused the operation in its current state. */
function refused({ conflict: currentState, cause }: InvocationContext): ApiError {
  const { code, details, message } = conflict(currentState as string)
  return new ApiError(409, code, cause?.message ?? message, { details })
}
