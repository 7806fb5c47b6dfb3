/** Starts runs: admission stores a run and answers; a runner then executes it. Source: requirement 4.14, "Start a run". */
import type { RunBudget } from '../../../machines/run/budget.ts'
import type { RunContext, RunInput } from '../../../machines/run.ts'
import { newId } from '../../../storage/ids.ts'
import { notFound } from '../../platform/http/answers/errors.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { digestOfLarge } from '../../platform/http/digest.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { noPrices, type Prices } from '../../platform/models/prices/prices.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { type OwnSpan, storedSpan } from '../../platform/tracing/own-span.ts'
import type { TraceContext } from '../../platform/tracing/trace-context.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { By } from '../../runtime/kind.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunRecord, type RunSeed, runAddress } from '../record.ts'
import type { ContentItem, HistoryMessage } from '../runner/protocol/protocol.ts'
import type { Reserve } from '../statistics/usage.ts'
import { inFull, triesMax, untilAdmitted, weigh } from './admission.ts'
import type { AgentResolver, ResolvedAgent } from './agents.ts'
import { inlineParts, type ReadFile } from './attachments.ts'
import type { BindingResolver, ModelRequest } from './bindings.ts'
import { budgetOf } from './budgets.ts'
import { startTime } from './delay.ts'
import { beginningOf, checkedContext, inputDigest, isLarge, startInput } from './input.ts'
import { AdmissionPrecedence } from './precedence.ts'
import { serverCaller } from './server-caller.ts'
import { assertSubject, type IsMember } from './subject.ts'

export interface StartRequest extends ModelRequest {
  agentId: string
  environmentId?: string
  query?: string
  contents?: ContentItem[]
  maxRetries?: number
  subjectUserId?: string
  /** The client's key of the conversation, which refers to this run from now on. */
  threadKey?: string
  ifBusy?: 'reject' | 'enqueue' | 'interrupt'
  /** Messages from before the run. */
  history?: HistoryMessage[]
  /** Values for operations as `{{run.context.x}}`; the model does not see them. */
  context?: Record<string, unknown>
  /** The limits of the run; fixed at its start. */
  limits?: RunBudget
  /** RFC 3339: when the run may start. */
  startAt?: string
}

/** Executes a start request. */
type Begin = (caller: Caller, request: StartRequest, record: RequestRecord) => Promise<{ data: PresentedRun }>

/** A start by the server: for a job, or for an operation that runs an Agent. */
interface ServerStart {
  organizationId: string
  projectId: string
  /** Includes the Environment that the Agent runs in. */
  request: StartRequest & { environmentId: string }
  /** The principal stored as the run's creator. */
  by: By
  /** The run's id, if it is decided in advance. */
  id?: string
  agentJobId?: string
  /** The Deployment of the operation call that the run is part of; omitted: it starts in the active one. */
  deploymentId?: string
  /** Statements that commit with the run. */
  record?: RequestRecord
  /** The parent of the run's span; omitted: none. */
  above?: TraceContext | null
}

/** A start of the run for a conversation's key. */
export interface ThreadStart {
  /** The key's earlier run, if there is one. */
  replaces?: string | null
  /** Whether the key refers to another run by now. */
  isOvertaken?(): Promise<boolean>
}

/** The parts of a start that are not in the request. */
type StartedAs = Pick<ServerStart, 'by' | 'id' | 'agentJobId' | 'deploymentId' | 'above'> & ThreadStart

export interface StartParts {
  actors: Actors
  clock: Clock
  agents: AgentResolver
  bindings: BindingResolver
  reserve: Reserve
  /** Omitted: models have no prices. */
  prices?: Prices
  /** The limits of each run of an organization; null or omitted: none. */
  limitsOf?(organizationId: string): RunBudget | null | Promise<RunBudget | null>
  isMember: IsMember
  idempotency: Idempotency
  /** How long a run's content is retained. */
  contentRetentionMs: number
  /** The server version stored with each run. */
  version: string
  /** null: traces are disabled. */
  tracing?: Tracing | null
}

const maxRetriesDefault = 2

export class RunStarts {
  /** What the embedded runner gives way to. */
  readonly precedence: AdmissionPrecedence

  constructor(private readonly parts: StartParts) {
    this.precedence = new AdmissionPrecedence(parts.clock)
  }

  /**
   * Starts a run, or returns the one that the same request started before. `files` become inline parts; `begin`
   * replaces `start`.
   */
  async answer(
    context: KeyedContext,
    caller: Caller,
    request: StartRequest,
    files: readonly ReadFile[] = [],
    begin: Begin = (...start) => this.start(...start),
  ): Promise<{ data: PresentedRun }> {
    return this.parts.idempotency.answer(
      context,
      { operation: 'POST /api/v1/agent-runs', caller, path: [], body: request, files },
      (record) => begin(caller, files.length > 0 ? { ...request, contents: inlineParts(files) } : request, record),
      {
        assertVisible: ({ data }) => {
          if (!isWithinScope(caller, 'agent-runs:create', data)) throw notFound()
        },
      },
    )
  }

  /**
   * Throws the errors that requirement 4.14 lists for this operation; `record` commits with the run. `replaces`: the
   * earlier run of the request's `threadKey`; `concurrent_change` if the key refers to another run by now.
   */
  start(
    caller: Caller,
    request: StartRequest,
    record: RequestRecord,
    thread: ThreadStart = {},
  ): Promise<{ data: PresentedRun }> {
    return this.precedence.during(() => this.#start(caller, request, record, { by: caller.principal, ...thread }))
  }

  /**
   * Starts a run of an Agent in an Environment's active Deployment, or in that of a call. Throws as `start` does, and a
   * conflict if a run with this id exists.
   */
  startForServer({ request, record = () => [], above = null, ...start }: ServerStart): Promise<{ data: PresentedRun }> {
    return this.precedence.during(() => this.#start(serverCaller(start), request, record, { ...start, above }))
  }

  async #start(
    caller: Caller,
    request: StartRequest,
    record: RequestRecord,
    as: StartedAs,
  ): Promise<{ data: PresentedRun }> {
    const { agents } = this.parts
    return untilAdmitted(
      async (look) => {
        const resolving = agents.resolve(caller, request.agentId, request.environmentId, as.deploymentId)
        const agent = resolving instanceof Promise ? await resolving : resolving
        return this.#admit(caller, request, agent, record, as, look)
      },
      async (error, tries) => {
        // another Deployment was activated in between, or a reason to refuse was missed
        if (!isConcurrentChange(error) || !agents.reconsider || tries === triesMax) throw error
        if (await as.isOvertaken?.()) throw error
        await agents.reconsider(caller, request.agentId, request.environmentId, as.deploymentId)
      },
    )
  }

  async #admit(
    caller: Caller,
    request: StartRequest,
    agent: ResolvedAgent,
    record: RequestRecord,
    as: StartedAs,
    look: boolean,
  ): Promise<{ data: PresentedRun }> {
    const { actors, clock, version, tracing } = this.parts
    const startAt = startTime(request.startAt, clock.now())
    const input = startInput(request.query, request.contents)
    const large = isLarge(input)
    if (large) await nextTurn()
    const digest = large ? await digestOfLarge(input) : inputDigest(input)
    if (large) await nextTurn()
    if (request.subjectUserId !== undefined) await this.assertSubject(caller, agent.projectId, request.subjectUserId)
    const choosing = this.parts.bindings.forStart(caller, request, agent)
    const binding = choosing instanceof Promise ? await choosing : choosing
    const { organizationId } = caller
    const { prices = noPrices } = this.parts
    const ofOrganization = this.parts.limitsOf?.(organizationId) ?? null
    const begins = budgetOf(prices, binding, {
      request: request.limits,
      agent: agent.content.limits,
      organization: ofOrganization instanceof Promise ? await ofOrganization : ofOrganization,
    })
    const { projectId, environmentId, agentId } = agent
    const isAuthorized = isWithinScope(caller, 'agent-runs:create', { projectId, environmentId, agentId })
    const weighed = await weigh(isAuthorized, { organizationId, look, reserve: this.parts.reserve })

    const at = clock.now()
    const span = tracing && spanOf(tracing, as)
    const id = as.id ?? newId('run', at)
    const seed: RunSeed = {
      row: {
        id,
        organization_id: caller.organizationId,
        project_id: agent.projectId,
        environment_id: agent.environmentId,
        deployment_id: agent.deploymentId,
        agent_id: agent.agentId,
        agent_revision_id: agent.agentRevisionId,
        agent_job_id: as.agentJobId ?? null,
        created_by_type: as.by.type,
        created_by_id: as.by.id,
        subject_user_id: request.subjectUserId ?? null,
        thread_key: request.threadKey ?? null,
        query: beginningOf(input),
        binding: JSON.stringify(binding),
        input_digest: digest,
        output_digest: null,
        runtime_version: version,
        retention_expires_at: Math.max(at, startAt ?? at) + this.parts.contentRetentionMs,
        trace: span ? storedSpan(span) : null,
        forked_from: null,
        forked_at_checkpoint: null,
        created_at: at,
      },
      input: {
        ...input,
        ...(request.history && { history: request.history }),
        ...(request.context && { context: checkedContext(request.context) }),
      },
      replaces: as.replaces ?? null,
      ofCall: as.deploymentId !== undefined,
      reservation: weighed.reservation,
    }
    let data: PresentedRun | undefined
    const maxRetries = request.maxRetries ?? maxRetriesDefault
    const begun: RunInput = { maxRetries, at, ...(startAt !== undefined && { startAt }), ...begins }
    try {
      const { actor } = await actors.create<RunRecord, RunContext>(
        runAddress(id),
        { input: begun, seed, named: 'start', facts: weighed.facts },
        {
          by: as.by,
          writes: ({ actor: created }) => {
            data = presentRun(created.row.row, created.context)
            return record({ data })
          },
        },
      )
      if (span) tracing?.started(span)
      return { data: data ?? presentRun(actor.row.row, actor.context) }
    } catch (error) {
      throw inFull(weighed, error)
    }
  }

  /** Throws unless a further turn of the Agent may begin, as for a start: `notFound`, and `project_paused` (409). */
  async assertAdmits(
    caller: Caller,
    { agentId, environmentId }: Pick<StartRequest, 'agentId' | 'environmentId'>,
  ): Promise<void> {
    await this.parts.agents.assertAdmits?.(caller, agentId, environmentId)
  }

  /** Throws as a start does unless the caller may act for this user. */
  async assertSubject(caller: Caller, projectId: string | null, userId: string): Promise<void> {
    await assertSubject(caller, projectId, userId, this.parts.isMember)
  }
}

/** The run's span: a child of the given one, else a root, or part of the request's trace. */
const spanOf = (tracing: Tracing, { above }: StartedAs): OwnSpan =>
  above === undefined ? tracing.inRequest() : above === null ? tracing.root() : tracing.below(above)
