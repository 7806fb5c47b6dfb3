/**
 * A baseline: the current state of an Environment, and a cursor for the events after it. Source: requirement 4.12;
 * contract 7.
 */

import { Counter } from '../../../storage/counters.ts'
import { type BaselineRow, takeBaseline } from '../../../storage/events/baselines.ts'
import type { Store } from '../../../storage/store.ts'
import { orNotFound } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { HistoryPath } from './history.ts'
import { sealPosition } from './position.ts'
import type { Baseline, Rebaseline } from './schema.ts'

export interface BaselineParts {
  store: Store
  clock: Clock
  cursors: Cursors
}

/** The most bytes of all lists together, as JSON. */
const bytesMax = 5 * 1024 * 1024
/** The most items of each list; more never fit into the bytes. */
const itemsMax = 30_000

export class Baselines {
  readonly #ids: Counter

  constructor(private readonly parts: BaselineParts) {
    this.#ids = new Counter(parts.store, 'history-checkpoints')
  }

  /** Throws `notFound`. */
  async take(path: HistoryPath, record: RequestRecord): Promise<Rebaseline> {
    const { store, clock, cursors } = this.parts
    const checkpointId = await this.#ids.take()
    const rows = await store.all<BaselineRow>(takeBaseline(store, { ...path, limit: itemsMax }))
    const environment = orNotFound(rows.find(({ part }) => part === 'environment'))
    const sequence = environment.sequence as number
    const checkpointGeneration = environment.generation as number
    const answer: Rebaseline = {
      checkpointId,
      checkpointGeneration,
      baseline: presentBaseline(environment, rows, clock.now()),
      resumeCursor: sealPosition(cursors, path, { generation: checkpointGeneration, sequence, upTo: null }),
    }
    await store.commit(record(answer))
    return answer
  }
}

export function presentBaseline(environment: BaselineRow, rows: readonly BaselineRow[], at: number): Baseline {
  const deployment = rows.find(({ part }) => part === 'deployment')
  const lists = new BoundedLists()
  return {
    takenAt: timestamp(at),
    sequence: environment.sequence as number,
    environment: {
      id: environment.id,
      state: environment.state,
      generation: environment.activations as number,
      configurationHeadRevisionId: environment.configuration_revision_id as string,
      activeDeploymentId: environment.deployment_id,
    },
    activeDeployment: deployment
      ? {
          id: deployment.id,
          state: deployment.state,
          releaseId: deployment.release_id as string,
          configurationRevisionId: deployment.configuration_revision_id as string,
        }
      : null,
    agents: lists.of(rows, 'agent', ({ id, state, agent_revision_id: agentRevisionId }) => ({
      id,
      state,
      agentRevisionId,
    })),
    nonTerminalRuns: lists.of(rows, 'run', ({ id, state, agent_id, agent_revision_id, deployment_id }) => ({
      id,
      state,
      agentId: agent_id as string,
      agentRevisionId: agent_revision_id as string,
      deploymentId: deployment_id,
    })),
    entities: lists.of(rows, 'entity', ({ id, state, type, version }) => ({
      id,
      state,
      type: type as string,
      version: version as number,
    })),
    truncated: lists.truncated,
  }
}

/** Lists that share a byte limit: the first one that does not fit is cut, and so are those after it. */
class BoundedLists {
  truncated = false
  #bytesLeft = bytesMax

  of<Item>(rows: readonly BaselineRow[], part: BaselineRow['part'], present: (row: BaselineRow) => Item): Item[] {
    const items: Item[] = []
    for (const row of rows) {
      if (row.part !== part || this.truncated) continue
      const item = present(row)
      // ids and states are ASCII; plus the comma
      this.#bytesLeft -= JSON.stringify(item).length + 1
      if (this.#bytesLeft < 0 || items.length === itemsMax - 1) this.truncated = true
      else items.push(item)
    }
    return items
  }
}
