/** Executes operations on entities, each call once. Source: contract 6, "Entity inputs"; design 3, rule 4. */
import { remove, update } from '../../../machines/entity.ts'
import { type ChartedEntity, getEntityCall, insertEntityCall } from '../../../storage/automation/entities.ts'
import { LimitReached } from '../../../storage/bounds.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { wordPattern } from '../../authoring/definitions/shapes.ts'
import type { EntitySource } from '../../authoring/definitions/source.ts'
import { ApiError, limitReached } from '../../platform/http/answers/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Outcome, SendOptions } from '../../runtime/command.ts'
import { missingTarget, type OperationFailure, toolError } from '../operations/failure.ts'
import { type EntityActor, type EntityChart, type EntitySeed, entityAddress, entityChart } from './actor.ts'
import type { EntityCall, EntityCalls } from './calls.ts'
import { type EntityCommand, fittingData, readInput } from './input.ts'
import { type Entity, presentEntity } from './schema.ts'

interface EntityExecutorParts {
  store: Store
  clock: Clock
  actors: Actors
}

/** The entity's Definition as the Deployment pins it. */
interface Deployed {
  revisionId: string
  source: EntitySource
  chart: EntityChart
}

type Changing = Exclude<EntityCommand, { action: 'create' }>

/** A call with its deployed entity. */
interface Prepared {
  call: EntityCall
  deployed: Deployed
  key: string
}

export class EntityExecutor implements EntityCalls {
  constructor(private readonly parts: EntityExecutorParts) {}

  async perform(call: EntityCall): Promise<Entity> {
    const deployed = deployedEntity(call)
    const prepared = { call, deployed, key: `${call.bundle.bundle.environmentId}/${call.callKey}` }
    const made = await this.#answerOf(prepared)
    if (made) return made
    const command = readInput(call)
    const { organizationId } = call.bundle.bundle
    const data =
      'data' in command ? await fittingData(call.entity, deployed.source.schema, command.data, organizationId) : ''
    try {
      return command.action === 'create'
        ? await this.#create(prepared, data)
        : await this.#change(prepared, command, data)
    } catch (error) {
      if (isStoreAway(error)) throw error
      // the same call may have been made concurrently, and have changed the entity
      const answer = await this.#answerOf(prepared)
      if (answer) return answer
      throw await this.#failureOf(error, prepared, command)
    }
  }

  /** The answer of an earlier identical call. */
  async #answerOf({ key }: Prepared): Promise<Entity | undefined> {
    const { store } = this.parts
    const row = await store.first(getEntityCall(store, { key }))
    return row && (JSON.parse(row.output) as Entity)
  }

  async #create(prepared: Prepared, data: string): Promise<Entity> {
    const { clock } = this.parts
    const { call, deployed } = prepared
    const { organizationId, projectId, environmentId } = call.bundle.bundle
    const seed: EntitySeed = {
      id: newId('ent', clock.now()),
      organization_id: organizationId,
      project_id: projectId,
      environment_id: environmentId,
      type: call.entity,
      definition_revision_id: deployed.revisionId,
      states: JSON.stringify(deployed.source.states),
      data,
    }
    const creation = { input: undefined, seed, named: 'create' }
    return outputOf(await this.parts.actors.create(entityAddress(seed.id), creation, this.#options(prepared)))
  }

  async #change(prepared: Prepared, command: Changing, data: string): Promise<Entity> {
    const { entity: type, bundle } = prepared.call
    const actor = await this.#find(bundle.bundle.environmentId, type, command.id)
    if (!actor) throw missing(type, command.id)
    // events with other characters are internal
    if (command.action === 'transition' && !wordPattern.test(command.event)) throw lacks(type, command, actor.state)
    const event = eventOf(command, data)
    return outputOf(await this.parts.actors.send(entityAddress(command.id), event, this.#options(prepared)))
  }

  /** The entity, if it has this type and is not deleted. */
  async #find(environmentId: string, type: string, id: string): Promise<EntityActor | undefined> {
    const actor = (await this.parts.actors.read(entityAddress(id))) as EntityActor | undefined
    const { row } = actor ?? {}
    const isThere = row?.environment_id === environmentId && row.type === type && row.deleted_at === null
    return isThere ? actor : undefined
  }

  #options({ call, deployed, key }: Prepared): SendOptions<ChartedEntity> {
    const environment_id = call.bundle.bundle.environmentId
    return {
      by: call.by,
      chart: deployed.chart,
      writes: (outcome) => [
        insertEntityCall(this.parts.store, {
          key,
          environment_id,
          output: JSON.stringify(outputOf(outcome)),
          created_at: outcome.move.event.at,
        }),
      ],
    }
  }

  /** The failure in words for the caller; unexpected errors are returned unchanged. */
  async #failureOf(error: unknown, { call, deployed }: Prepared, command: EntityCommand): Promise<unknown> {
    const { entity: type, bundle } = call
    if (error instanceof LimitReached && error.reached)
      return toolError(limitReached(error.reached).message, { cause: error })
    if (!(error instanceof ApiError)) return error
    if (command.action === 'create') return toolError('The Environment no longer accepts entities.', { cause: error })
    if (error.status === 404) return missing(type, command.id)
    const actor = await this.#find(bundle.bundle.environmentId, type, command.id)
    if (!actor) return missing(type, command.id)
    if (error.code !== 'invalid_transition') return overtaken(error, actor.state)
    return refusal(deployed, type, command, String(error.details?.currentState), actor.row)
  }
}

function deployedEntity({ bundle: { bundle }, entity }: EntityCall): Deployed {
  for (const { name, definitionRevisionId: revisionId, source } of bundle.definitions) {
    if (name !== entity || !('states' in source)) continue
    return { revisionId, source, chart: entityChart(entity, revisionId, () => source.states) }
  }
  throw toolError(`There is no entity ${entity} in the Deployment.`)
}

function eventOf(command: Changing, data: string) {
  if (command.action === 'delete') return { type: remove }
  const { expectedVersion } = command
  const expected = expectedVersion === undefined ? {} : { expectedVersion }
  return command.action === 'update' ? { type: update, data, ...expected } : { type: command.event, ...expected }
}

/** The entity after this move; a deleted one in its last state. */
function outputOf({ move }: Outcome<ChartedEntity>): Entity {
  const row = move.row as ChartedEntity
  return presentEntity({ ...row, state: row.deleted_at === null ? row.state : (move.from ?? row.state) })
}

const isStoreAway = (error: unknown) => error instanceof ApiError && error.code === 'store_unavailable'

const missing = (type: string, id: string) => missingTarget(`There is no ${type} ${id}.`)

const conflict = (message: string, currentState: string): OperationFailure =>
  toolError(message, { conflict: { currentState } })

const lacks = (type: string, { id, event }: { id: string; event: string }, state: string) =>
  conflict(`The ${type} ${id} does not accept ${event} in state ${state}.`, state)

/** Why the statechart refused: an unknown event or state, or the expected version. */
function refusal(
  { source }: Deployed,
  type: string,
  command: Changing,
  state: string,
  { entity_version: version }: EntityActor['row'],
): OperationFailure {
  const { states } = source.states
  if (!Object.hasOwn(states, state)) {
    return conflict(`The ${type} ${command.id} is in state ${state}, which the deployed ${type} does not have.`, state)
  }
  if (command.action === 'transition' && !Object.hasOwn(states[state]?.on ?? {}, command.event)) {
    return lacks(type, command, state)
  }
  const expected = 'expectedVersion' in command ? command.expectedVersion : undefined
  return conflict(
    `The ${type} ${command.id} was not at version ${expected}. It is at version ${version} now: read it, then try again.`,
    state,
  )
}

const overtaken = (cause: unknown, currentState: string) =>
  toolError('The entity was changed at the same time.', { conflict: { currentState }, cause })
