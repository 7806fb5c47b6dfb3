/**
 * What the steps of a run begin with: the run and its values. An event of a run can make many steps due, and many such
 * events come at once; all that ask in one turn of the event loop share a reading, since each is of the whole run.
 */
import { DamagedRecord } from '../../../../storage/errors.ts'
import type { Store } from '../../../../storage/store.ts'
import type { WorkflowSource } from '../../../authoring/definitions/source.ts'
import type { Bundles, DeployedBundle } from '../../../delivery/deployments/bundles.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { outputOf, paramsName, type WorkflowRunActor, workflowRunAddress } from '../actor.ts'
import type { WorkflowValues } from '../templates.ts'
import { readValues } from '../values.ts'

/** A run with its bundle and source. */
export interface Work extends Pick<WorkflowRunActor, 'row' | 'context'> {
  bundle: DeployedBundle
  source: WorkflowSource
}

type Reading = Work & { values: WorkflowValues }

export class WorkflowReadings {
  /** The readings that have not begun, by run. */
  readonly #next = new Map<string, Promise<Reading | undefined>>()

  constructor(private readonly parts: { store: Store; actors: Actors; bundles: Bundles }) {}

  /** The run; undefined if it was removed. */
  async find(runId: string): Promise<Work | undefined> {
    const { actors, bundles } = this.parts
    const actor = (await actors.read(workflowRunAddress(runId))) as WorkflowRunActor | undefined
    if (!actor) return undefined
    const { row, context } = actor
    const bundle = await bundles.find(row.deployment_id)
    const source = bundle?.workflow(row.definition_id)?.source
    if (!bundle || !source) throw new DamagedRecord(`The bundle of ${runId} is missing.`)
    return { row, context, bundle, source }
  }

  /** The run with its values, as they are after this call; undefined if it was removed. */
  read(runId: string): Promise<Reading | undefined> {
    const known = this.#next.get(runId)
    if (known) return known
    const reading = nextTurn().then(() => {
      this.#next.delete(runId)
      return this.#read(runId)
    })
    this.#next.set(runId, reading)
    return reading
  }

  async #read(runId: string): Promise<Reading | undefined> {
    const work = await this.find(runId)
    if (!work) return undefined
    const kept = await readValues(this.parts.store, runId)
    const { context } = work
    const outputs = context.plan.map(({ id }, place): [string, unknown] => [id, outputOf(context, place, kept)])
    return { ...work, values: { params: kept.get(paramsName), outputs: new Map(outputs) } }
  }
}
