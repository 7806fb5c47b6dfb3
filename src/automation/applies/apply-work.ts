/**
 * The work of an Apply's states. Each step checks that its state still waits for it, does idempotent work and answers
 * with an event; after a crash the next process starts the step again and finds the resources already created. Source:
 * contract 10.
 */
import type { ApplyContext } from '../../../machines/apply.ts'
import {
  findApplyDeploying,
  findManifest,
  getApply,
  listDeployingApplies,
  noteActivation,
  noteDeployment,
  noteRelease,
} from '../../../storage/automation/applies.ts'
import type { ApplyRow } from '../../../storage/tables.ts'
import { deploymentAddress } from '../../delivery/deployments/actor.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import { toApiError } from '../../platform/http/answers/failure.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { isOver } from '../../runtime/refusals.ts'
import { oneByOne } from '../one-by-one.ts'
import { type ApplyEffects, type ApplyRequest, applyAddress, applyKind, manifestPlace } from './actor.ts'
import { lostAuthority, neededFor } from './authority.ts'
import { outcomeOf, sameDeployment } from './deploying.ts'
import { isPruned } from './kept.ts'
import { type Answer, changedMeanwhile, issuesText, type Outcome, ofStep, rejected, sentence } from './outcome.ts'
import { removePruned } from './parts/removals.ts'
import { pinsOf, sameRelease } from './pins.ts'
import { type Plan, type Planned, planManifest } from './planning.ts'
import { type ApplyServices, type ApplyWorkParts, servicesOf } from './services.ts'
import { noting, Writer } from './writer.ts'

interface Step {
  id: string
  row: ApplyRow
  request: ApplyRequest
  writer: Writer
}

const triesMax = 5

export class ApplyWork implements ApplyEffects {
  /** The definition for the actor runtime. */
  readonly kind = applyKind(this)
  readonly services: ApplyServices
  #after = ''

  constructor(private readonly parts: ApplyWorkParts) {
    this.services = servicesOf(parts)
    // an Apply waits for its Deployment
    parts.actors.subscribe({ kind: 'deployment' }, ({ actor }) => void this.#heard(actor.address.id))
  }

  /** Checks up to `limit` Applies whose Deployment may have ended unnoticed; returns how many. */
  async look(limit: number): Promise<number> {
    const { background } = this.parts.store
    const rows = await background.all(listDeployingApplies(background, { after: this.#after, limit }))
    await oneByOne(
      rows,
      ({ id }) => background.turn(() => this.#lookAtDeployment(id)),
      (error, id) => this.parts.onError(error, `the Apply ${id}`),
    )
    this.#after = rows.length < limit ? '' : (rows.at(-1)?.deployment_id ?? '')
    return rows.length
  }

  takeUp(id: string): Promise<void> {
    return this.#answer(id, { event: { type: 'taken' } })
  }

  write(id: string): Promise<void> {
    return this.#work(id, 'written', async (step) => {
      if (step.request.target) {
        const { actors } = this.parts
        const environment = await step.writer.environment()
        const address = { kind: 'environment', id: environment.id }
        if (actors.hasRow({ address, state: environment.state, row: environment }, 'activate')) {
          const lost = await this.#lost(step.row, 'projects:update')
          if (lost) return lost
          await step.writer.openEnvironment()
        }
        return { event: { type: 'written' } }
      }
      return this.#written(step)
    })
  }

  release(id: string): Promise<void> {
    return this.#work(id, 'released', async (step) => {
      const { row, request, writer } = step
      const known = row.release_id ?? request.target?.releaseId
      if (known) return this.#released(id, known)
      const { planning } = await this.#plan(step)
      const pins = planning && pinsOf(planning)
      if (!planning || !pins) return rejected(changedMeanwhile)
      const same = await sameRelease(this.parts.store, planning, pins)
      if (same) return this.#released(id, same)
      const { description } = request
      const body = { ...pins, ...(description !== null && { description }) }
      const noted = noting(writer.record('createRelease', 'release', body), (made) =>
        noteRelease(this.parts.store, { id, made }),
      )
      const release = await this.services.releases.create(writer.caller, row.project_id, body, noted)
      return { event: { type: 'released', releaseId: release.id } }
    })
  }

  configure(id: string): Promise<void> {
    return this.#work(id, 'configured', async (step) => {
      const { request, writer } = step
      const known = request.target?.configurationRevisionId
      if (known) return { event: { type: 'configured', configurationRevisionId: known } }
      const without = request.target ? undefined : await this.#pruned(step)
      const found = await this.services.configurationRevisions.current(writer.caller, writer.path, without)
      return { event: { type: 'configured', configurationRevisionId: found } }
    })
  }

  deploy(id: string): Promise<void> {
    return this.#work(id, 'deployed', async ({ row, request, writer }, context) => {
      if (row.deployment_id !== null) return outcomeOf(this.parts, row.deployment_id)
      const releaseId = context.releaseId as string
      const configurationRevisionId = context.configurationRevisionId as string
      const credentials = request.target?.credentials ?? 'pinned'
      const body = { releaseId, configurationRevisionId, credentials }
      const same = await sameDeployment(this.parts, row, request, body)
      const note = (made: string) => noteDeployment(this.parts.store, { id, made })
      if (same) return { event: { type: 'deployed', deploymentId: same }, writes: [note(same)] }
      const noted = noting(writer.record('createDeployment', 'deployment', body), note)
      const { id: deploymentId } = await this.services.deployments.submit(writer.caller, writer.path, body, noted)
      return outcomeOf(this.parts, deploymentId)
    })
  }

  activate(id: string): Promise<void> {
    return this.#work(id, 'activated', async (step, context) => {
      const { row, writer, request } = step
      const prunes = request.prune && !request.target
      const lost = prunes && row.activation_id === null && (await this.#lost(row, (await this.#plan(step)).steps))
      if (lost) return lost
      const activationId = row.activation_id ?? (await this.#activate(id, writer, context.deploymentId as string))
      if (prunes) {
        const { steps } = await this.#plan(step)
        await removePruned(steps, (JSON.parse(row.plan) as Plan).changes, writer)
      }
      return { event: { type: 'activated', activationId } }
    })
  }

  async abandon(id: string): Promise<void> {
    const row = await this.parts.store.first<ApplyRow>(getApply(this.parts.store, { id }))
    const actor = row?.deployment_id && (await this.parts.actors.read(deploymentAddress(row.deployment_id)))
    if (!row || !actor || !this.parts.actors.hasRow(actor, 'rejected')) return
    try {
      const by = { type: row.created_by_type, id: row.created_by_id }
      await this.parts.actors.send(actor.address, { type: 'cancel' }, { by })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }

  /** Runs the step that ends with this event, unless the Apply has moved on. A service's refusal fails the Apply. */
  async #work(
    id: string,
    end: Answer['type'],
    work: (step: Step, context: ApplyContext) => Promise<Outcome | undefined>,
  ): Promise<void> {
    const { store, actors } = this.parts
    const actor = await actors.read<ApplyRow, ApplyContext>(applyAddress(id))
    if (!actor || !actors.hasRow(actor, end)) return
    // the notes of steps in the row are not part of the snapshot in memory
    const row = await store.first<ApplyRow>(getApply(store, { id }))
    if (row?.state !== actor.state) return
    const request = JSON.parse(row.request) as ApplyRequest
    const { requestId, requestIdFrom } = request
    const writer = new Writer(this.services, row, { requestId, requestIdFrom })
    let outcome: Outcome | undefined
    try {
      outcome =
        (await this.#lost(row, neededFor(end, row))) ?? (await work({ id, row, request, writer }, actor.context))
    } catch (thrown) {
      const error = toApiError(thrown)
      // what commits only during the step is tried in vain once the Apply is canceled
      if (error.status >= 500 && !(await this.#waitsFor(id, end))) return
      if (error.status >= 500) throw thrown
      outcome = rejected({ code: error.code, message: `${error.message}${issuesText(error)}` })
    }
    if (outcome) await this.#answer(id, ofStep(store, outcome, actor.context, row))
  }

  /** Writes the changes of the plan; after a conflict with another change, it plans again. */
  async #written(step: Step): Promise<Outcome | undefined> {
    for (let tries = 1; ; tries += 1) {
      const { plan, steps } = await this.#plan(step)
      if (plan.issues.length > 0) return rejected({ code: 'plan_has_issues', message: sentence(plan.issues) })
      try {
        const writes = [...steps.map(({ prepare }) => prepare), ...steps.map(({ write }) => write)]
        for (const write of writes) {
          if (!write) continue
          // a canceled Apply writes nothing more, nor one without authority
          if (!(await this.#waitsFor(step.id, 'written'))) return undefined
          const lost = await this.#lost(step.row, steps)
          if (lost) return lost
          await write(step.writer)
        }
        return { event: { type: 'written' } }
      } catch (thrown) {
        if (tries === triesMax || toApiError(thrown).status >= 500) throw thrown
      }
    }
  }

  /** The failure of an Apply whose requester may no longer make these changes. */
  async #lost(row: ApplyRow, about: Planned['steps'] | Permission | undefined): Promise<Outcome | undefined> {
    const lost = about && (await lostAuthority(this.parts.callerLater, row, about))
    return lost && rejected(lost)
  }

  /** Whether the Apply is still in the state that this event ends. */
  async #waitsFor(id: string, end: Answer['type']): Promise<boolean> {
    const { actors } = this.parts
    const actor = await actors.read<ApplyRow>(applyAddress(id))
    return actor !== undefined && actors.hasRow(actor, end)
  }

  async #plan({ id, row, request }: Step): Promise<Planned> {
    const { store, vault } = this.parts
    const stored = await store.first(findManifest(store, { applyId: id }))
    if (!stored) throw new ApiError(409, 'concurrent_change', 'The Apply has ended.')
    const manifest: unknown = JSON.parse(
      (await vault.unseal(manifestPlace(row.organization_id, id), stored.sealed)).reveal(),
    )
    const { environment, prune } = request
    return planManifest(this.parts, row.organization_id, { manifest, environment, prune })
  }

  /** The variables and Connections to remove once the active Deployment no longer uses them. */
  async #pruned(step: Step): Promise<ReadonlySet<string> | undefined> {
    if (!step.request.prune) return undefined
    const { planning, steps } = await this.#plan(step)
    if (!planning) return undefined
    const removed = new Set(steps.flatMap(({ change, remove }) => (remove ? [`${change.kind} ${change.name}`] : [])))
    const { variables, connections } = planning.standing
    return new Set([
      ...[...variables.values()].flatMap(({ id, name }) =>
        removed.has(`variable ${name}`) && isPruned(planning, id) ? [id] : [],
      ),
      ...connections.flatMap(({ id, name }) =>
        removed.has(`connection ${name}`) && isPruned(planning, id) ? [id] : [],
      ),
    ])
  }

  #released(id: string, releaseId: string): Outcome {
    const writes = [noteRelease(this.parts.store, { id, made: releaseId })]
    return { event: { type: 'released', releaseId }, writes }
  }

  async #activate(id: string, writer: Writer, deploymentId: string): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const { generation: expectedGeneration } = await writer.environment()
      const body = { deploymentId, expectedGeneration }
      const noted = noting(writer.record('createActivation', 'activation', body), (made) =>
        noteActivation(this.parts.store, { id, made }),
      )
      try {
        return (await this.services.activations.activate(writer.caller, writer.path, body, noted)).id
      } catch (error) {
        // another Deployment was activated in between: this one follows
        const isMismatch = error instanceof ApiError && error.code === 'generation_mismatch'
        if (!isMismatch || tries === triesMax) throw error
      }
    }
  }

  async #heard(deploymentId: string): Promise<void> {
    try {
      const found = await this.parts.store.first(findApplyDeploying(this.parts.store, { deploymentId }))
      if (found) await this.#lookAtDeployment(found.id)
    } catch {
      // the next check finds it
    }
  }

  #lookAtDeployment(id: string): Promise<void> {
    return this.#work(id, 'deployed', async ({ row }) =>
      row.deployment_id === null ? undefined : outcomeOf(this.parts, row.deployment_id),
    )
  }

  /** A refused event was reported before, or is obsolete. */
  async #answer(id: string, { event, writes = [] }: Outcome): Promise<void> {
    try {
      await this.parts.actors.send(applyAddress(id), event, { writes: () => writes })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
}
