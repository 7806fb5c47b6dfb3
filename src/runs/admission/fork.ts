/**
 * Forks a run at its input: a new run of the same revision, Deployment, model and limits, which begins with the same
 * input or with another query. The source run is unchanged, and may be active. Source: contract 14, "Fork".
 */
import type { RunBudget } from '../../../machines/run/budget.ts'
import type { RunInput } from '../../../machines/run.ts'
import { newId } from '../../../storage/ids.ts'
import { getRunContext } from '../../../storage/runs/conversations.ts'
import { getRunInput } from '../../../storage/runs/runs.ts'
import type { Store } from '../../../storage/store.ts'
import { ApiError, permissionDenied } from '../../platform/http/answers/errors.ts'
import { parseStored } from '../../platform/http/body/long-texts.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { digestOfLarge } from '../../platform/http/digest.ts'
import { isWithinScope, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { noPrices, type Prices } from '../../platform/models/prices/prices.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { storedSpan } from '../../platform/tracing/own-span.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { FoundRun } from '../access.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import { type RunRecord, type RunSeed, runAddress } from '../record.ts'
import type { StoredInput } from '../records/stored-input.ts'
import type { Reserve } from '../statistics/usage.ts'
import { inFull, weigh } from './admission.ts'
import type { Binding } from './bindings.ts'
import { budgetOf } from './budgets.ts'
import { beginningOf, inputDigest, isLarge } from './input.ts'
import { assertAdmitsIn } from './place.ts'

export interface ForkParts {
  store: Store
  actors: Actors
  clock: Pick<Clock, 'now'>
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
  /** null: traces are disabled. A fork is the root of its trace. */
  tracing?: Pick<Tracing, 'root'> | null
}

const inputCheckpoint = 0

export class RunForks {
  constructor(private readonly parts: ForkParts) {}

  /**
   * Starts the fork; `record` commits with it. Throws a conflict for a source whose content was removed, `notFound` for
   * a deleted Agent, `project_paused`, and the errors of a start if the organization has reached a limit.
   */
  async fork(
    caller: Caller,
    { row: source, context }: FoundRun,
    query: string | undefined,
    record: RequestRecord,
  ): Promise<{ data: PresentedRun }> {
    const { actors, clock, reserve, prices = noPrices, version, contentRetentionMs, tracing } = this.parts
    const { organization_id: organizationId, project_id: projectId, environment_id: environmentId } = source
    if (source.subject_user_id !== null && !may(caller, 'agent-runs:personalize', projectId)) {
      throw permissionDenied('agent-runs:personalize')
    }
    await this.#assertRuns(source)
    const before = await this.#input(source.id)
    const { history, ...first } = before
    const applied = query === undefined ? first : { query, contents: [] }
    const binding = JSON.parse(source.binding) as Binding
    const organization = await this.parts.limitsOf(organizationId)
    const begins = budgetOf(prices, binding, { request: context.budget, agent: undefined, organization })
    const place = { projectId, environmentId, agentId: source.agent_id }
    const authorized = isWithinScope(caller, 'agent-runs:create', place)
    const weighed = await weigh(authorized, { organizationId, look: true, reserve })
    const at = clock.now()
    const id = newId('run', at)
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
        query: beginningOf(applied),
        binding: source.binding,
        input_digest: isLarge(applied) ? await digestOfLarge(applied) : inputDigest(applied),
        output_digest: null,
        runtime_version: version,
        retention_expires_at: at + contentRetentionMs,
        trace: tracing ? storedSpan(tracing.root()) : null,
        forked_from: source.id,
        forked_at_checkpoint: inputCheckpoint,
        created_at: at,
      },
      input: { ...applied, ...(history && { history }), ...(before.context && { context: before.context }) },
      reservation: weighed.reservation,
    }
    const input: RunInput = { maxRetries: context.maxRetries, at, ...begins }
    let data: PresentedRun | undefined
    await actors
      .create<RunRecord>(
        runAddress(id),
        { input, seed, named: 'start', facts: weighed.facts },
        {
          by: caller.principal,
          writes: ({ actor }) => {
            data = presentRun(actor.row.row, actor.context as never)
            return record({ data })
          },
        },
      )
      .catch((error: unknown) => {
        throw inFull(weighed, error)
      })
    return { data: data as PresentedRun }
  }

  async #assertRuns(source: FoundRun['row']): Promise<void> {
    if (source.project_id === null && !this.parts.isEnabled(source.agent_id)) {
      throw new ApiError(409, 'agent_not_deployed', 'The System Agent is disabled.')
    }
    await assertAdmitsIn(this.parts.store, source)
  }

  /** The input of the source, with the context of its operations. */
  async #input(runId: string): Promise<StoredInput> {
    const { store } = this.parts
    const [row, context] = await Promise.all([
      store.first(getRunInput(store, { runId, chain: 1 })),
      store.first(getRunContext(store, { runId })),
    ])
    if (!row) throw contentRemoved()
    const input = (await parseStored(row.body)) as StoredInput
    return context ? { ...input, context: JSON.parse(context.body) as Record<string, unknown> } : input
  }
}

const contentRemoved = () =>
  new ApiError(409, 'invalid_transition', 'The content of the run was removed: it cannot be forked any more.', {
    details: { conflictReason: 'content_removed' },
  })
