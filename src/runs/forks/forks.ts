/**
 * Forks a run at its input or at a checkpoint: a new run of the same revision, Deployment, model and limits, which goes on
 * from there. The source run is unchanged, and may be active. Source: contract 14, "Fork".
 */
import type { RunBudget } from '../../../machines/run/budget.ts'
import type { RunContext, RunInput } from '../../../machines/run.ts'
import { findAgentRevision } from '../../../storage/authoring/agents.ts'
import { newId } from '../../../storage/ids.ts'
import { getCheckpoint } from '../../../storage/runs/checkpoints.ts'
import { getRunContext } from '../../../storage/runs/conversations.ts'
import { getRunInput } from '../../../storage/runs/runs.ts'
import { getStep, listStepsOfKind } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentRevisionRow, AgentStepRow, CheckpointRow } from '../../../storage/tables.ts'
import { ApiError, notFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import { parseStored } from '../../platform/http/body/long-texts.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { digestOfLarge } from '../../platform/http/digest.ts'
import { isWithinScope, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { noPrices, type Prices } from '../../platform/models/prices/prices.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { storedSpan } from '../../platform/tracing/own-span.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import type { FoundRun, RunAccess } from '../access.ts'
import { inFull, triesMax, untilAdmitted, weigh } from '../admission/admission.ts'
import type { Binding, BindingResolver } from '../admission/bindings.ts'
import { assertCountable, budgetOf } from '../admission/budgets.ts'
import { beginningOf, inputDigest, isLarge } from '../admission/input.ts'
import { assertAdmitsIn } from '../admission/place.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunRecord, type RunSeed, runAddress } from '../record.ts'
import { DamagedCheckpoint, loadCheckpoint } from '../records/checkpoints.ts'
import { readAgent, readExecution } from '../records/step-columns.ts'
import { type StoredInput, withoutHistory } from '../records/stored-input.ts'
import { conversationBytesMax, textBytes } from '../runner/conversation/size.ts'
import type { AgentContent, OpenCall } from '../runner/protocol/protocol.ts'
import type { Reserve } from '../statistics/usage.ts'
import { forkedInput } from './forked-input.ts'
import type { ForkRequest } from './schema.ts'

export interface ForkParts {
  store: Store
  actors: Actors
  clock: Pick<Clock, 'now'>
  access: Pick<RunAccess, 'find'>
  bindings: Pick<BindingResolver, 'forContinue'>
  idempotency: Idempotency
  reserve: Reserve
  /** Omitted: models have no prices. */
  prices?: Prices
  /** The current limits of each run of an organization; null: none. */
  limitsOf(organizationId: string): RunBudget | null | Promise<RunBudget | null>
  /** Whether the System Agent is enabled. */
  isEnabled(agentId: string): boolean
  contentRetentionMs: number
  /** The server version stored with each run. */
  version: string
  /** null: traces are disabled. */
  tracing?: Pick<Tracing, 'inRequest' | 'started'> | null
  /** Receives checkpoints that cannot be read. */
  onDamaged(damage: Error): void
}

export class RunForks {
  constructor(private readonly parts: ForkParts) {}

  /** Starts the fork, or returns the one that the same request started before. Throws as `fork`, and `notFound`. */
  async answer(
    context: KeyedContext,
    caller: Caller,
    runId: string,
    request: ForkRequest,
  ): Promise<{ data: PresentedRun }> {
    const found = await this.parts.access.find(caller, runId, 'agent-runs:create')
    const operation = 'POST /api/v1/agent-runs/{agentRunId}/fork'
    return this.parts.idempotency.answer(
      context,
      { operation, caller, path: [runId], body: request },
      (record) => this.fork(caller, found, request, record),
      {
        assertVisible: ({ data }) => {
          if (!isWithinScope(caller, 'agent-runs:create', data)) throw notFound()
        },
      },
    )
  }

  /**
   * Starts the fork of a run that the caller may fork; `record` commits with it. Throws `notFound` for a checkpoint that
   * is not the run's and for a deleted Agent, a conflict for a source whose content was removed, `project_paused`, the
   * errors of `forkedInput`, and those of a start if the organization has reached a limit.
   */
  async fork(
    caller: Caller,
    source: FoundRun,
    request: ForkRequest,
    record: RequestRecord,
  ): Promise<{ data: PresentedRun }> {
    const { project_id: projectId } = source.row
    if (source.row.subject_user_id !== null && !may(caller, 'agent-runs:personalize', projectId)) {
      throw permissionDenied('agent-runs:personalize')
    }
    const input = await this.#input(source, request)
    return untilAdmitted(
      async (look) => {
        await this.#assertRuns(source)
        return this.#admit(caller, source, request, input, record, look)
      },
      (error, tries) => {
        // a reason to refuse it has come up in between
        if (!isConcurrentChange(error) || tries === triesMax) throw error
      },
    )
  }

  async #admit(
    caller: Caller,
    { row: source, context }: FoundRun,
    { checkpointId = 0, model }: ForkRequest,
    input: StoredInput,
    record: RequestRecord,
    look: boolean,
  ): Promise<{ data: PresentedRun }> {
    const { actors, clock, reserve, prices = noPrices, version, contentRetentionMs, tracing } = this.parts
    const { organization_id: organizationId, project_id: projectId, environment_id: environmentId } = source
    const binding = await this.#binding(caller, { row: source, context }, model)
    const organization = await this.parts.limitsOf(organizationId)
    const begins = budgetOf(prices, binding, { request: undefined, agent: context.budget, organization })
    const place = { projectId, environmentId, agentId: source.agent_id }
    const authorized = isWithinScope(caller, 'agent-runs:create', place)
    const conversationFits = textBytes(input) <= conversationBytesMax
    const weighed = await weigh(authorized, { organizationId, look, reserve, conversationFits })
    const applied = withoutHistory(input)
    const at = clock.now()
    const id = newId('run', at)
    const span = tracing?.inRequest()
    const seed: RunSeed = {
      row: {
        id,
        organization_id: organizationId,
        project_id: projectId,
        environment_id: environmentId,
        deployment_id: source.deployment_id,
        agent_id: source.agent_id,
        agent_revision_id: source.agent_revision_id,
        agent_job_id: null,
        created_by_type: caller.principal.type,
        created_by_id: caller.principal.id,
        subject_user_id: source.subject_user_id,
        thread_key: null,
        query: beginningOf(applied) ?? source.query,
        binding: JSON.stringify(binding),
        input_digest: isLarge(applied) ? await digestOfLarge(applied) : inputDigest(applied),
        output_digest: null,
        runtime_version: version,
        retention_expires_at: at + contentRetentionMs,
        trace: span ? storedSpan(span) : null,
        forked_from: source.id,
        forked_at_checkpoint: checkpointId,
        created_at: at,
      },
      input,
      reservation: weighed.reservation,
    }
    const begun: RunInput = { maxRetries: context.maxRetries, at, ...begins }
    let data: PresentedRun | undefined
    try {
      await actors.create<RunRecord, RunContext>(
        runAddress(id),
        { input: begun, seed, named: 'start', facts: weighed.facts },
        {
          by: caller.principal,
          writes: ({ actor }) => {
            data = presentRun(actor.row.row, actor.context)
            return record({ data })
          },
        },
      )
    } catch (error) {
      throw inFull(weighed, error)
    }
    if (span) tracing?.started(span)
    return { data: data as PresentedRun }
  }

  /** The source's model, or another one of its provider. */
  async #binding(caller: Caller, { row, context }: FoundRun, model: string | undefined): Promise<Binding> {
    const { bindings, prices = noPrices } = this.parts
    const before = JSON.parse(row.binding) as Binding
    if (model === undefined) return before
    const binding = (await bindings.forContinue(caller, { model }, before)) ?? before
    if (context.budget) assertCountable(prices, binding, context.budget, '/body/model')
    return binding
  }

  async #assertRuns({ row: source }: FoundRun): Promise<void> {
    if (source.project_id === null && !this.parts.isEnabled(source.agent_id)) {
      throw new ApiError(409, 'agent_not_deployed', 'The System Agent is disabled.')
    }
    await assertAdmitsIn(this.parts.store, source)
  }

  /** What the fork begins with, with the context of its operations. */
  async #input(
    { row: { id: runId, organization_id: organizationId, state } }: FoundRun,
    request: ForkRequest,
  ): Promise<StoredInput> {
    const { store } = this.parts
    const { checkpointId = 0 } = request
    const [stored, context, row] = await Promise.all([
      store.first(getRunInput(store, { runId, chain: 1 })),
      store.first(getRunContext(store, { runId })),
      checkpointId === 0 ? undefined : store.first<CheckpointRow>(getCheckpoint(store, { runId, checkpointId })),
    ])
    if (!stored) throw contentRemoved(state)
    const checkpoint =
      checkpointId === 0
        ? undefined
        : await this.#load(orNoSuch(row, 'checkpoint of this run', '/body/checkpointId'), state)
    const first = (await parseStored(stored.body)) as StoredInput
    const input = context ? { ...first, context: JSON.parse(context.body) as Record<string, unknown> } : first
    return forkedInput({ input, checkpoint, asked: (at, open) => this.#asked(organizationId, at, open) }, request)
  }

  async #load(row: CheckpointRow, state: string) {
    try {
      return await loadCheckpoint(this.parts.store, row)
    } catch (error) {
      if (!(error instanceof DamagedCheckpoint)) throw error
      // its content may have been removed while it was read
      if (!(await this.parts.store.first(getRunInput(this.parts.store, { runId: row.run_id, chain: 1 })))) {
        throw contentRemoved(state)
      }
      this.parts.onDamaged(error)
      throw unreadable(row.checkpoint_id)
    }
  }

  /** The calls that the run waited for, without those of operations and workflows, whose results the server itself reports. */
  async #asked(
    organizationId: string,
    { run_id: runId, attempt, agent_step_id }: CheckpointRow,
    open: readonly OpenCall[],
  ) {
    const { store } = this.parts
    const step = await store.first<AgentStepRow>(getStep(store, { runId, agentStepId: agent_step_id }))
    const kind = step?.kind === 'delegate' ? 'delegate' : 'tool'
    const steps = await store.all(listStepsOfKind(store, { runId, kind }))
    const waiting = new Map(
      steps.filter((each) => each.attempt === attempt).map((each) => [readExecution(each.execution).toolCallId, each]),
    )
    const asked: OpenCall[] = []
    for (const call of open) {
      const callStep = waiting.get(call.toolCallId)
      if (callStep && !(await this.#isReported(organizationId, callStep))) asked.push(call)
    }
    return asked
  }

  /** Whether the step calls an operation or a workflow. Its invocation may have been removed: the revision shows it. */
  async #isReported(organizationId: string, { agent, name }: AgentStepRow): Promise<boolean> {
    const { agentId, agentRevisionId: id } = readAgent(agent)
    const revision = await this.parts.store.first<AgentRevisionRow>(
      findAgentRevision(this.parts.store, { organizationId, agentId, id }),
    )
    const { tools = [] } = JSON.parse(revision?.content ?? '{}') as Partial<AgentContent>
    return tools.some((tool) => tool.name === name && (tool.kind === 'operation' || tool.kind === 'workflow'))
  }
}

const contentRemoved = (currentState: string) =>
  new ApiError(409, 'invalid_transition', 'The content of the run was removed: it cannot be forked any more.', {
    details: { currentState, conflictReason: 'content_removed' },
  })

const unreadable = (checkpointId: number) =>
  new ApiError(409, 'invalid_transition', `The checkpoint ${checkpointId} is damaged: fork the run at another one.`, {
    details: { conflictReason: 'checkpoint_damaged' },
  })
