/** Metrics of the store and the actors: batch sizes of commits, actors in memory. */
import type { Registry } from 'prom-client'
import type { Store } from '../../../storage/store.ts'
import { readCounter, readGauge } from './prometheus.ts'

/** The actors in memory, and how many of them are processing a command. */
interface ActorStatistics {
  cached: number
  busy: number
}

export function registerStoreMetrics(registry: Registry, store: Store, actors: { statistics: ActorStatistics }) {
  readCounter(
    registry,
    'troupe_commits_total',
    'Transactions of the group-commit writer.',
    () => store.statistics.transactions,
  )
  readCounter(
    registry,
    'troupe_commit_units_total',
    'Units of work in them; the ratio is the batch size.',
    () => store.statistics.units,
  )
  readGauge(
    registry,
    'troupe_commit_units_max',
    'Units of work in the largest transaction.',
    () => store.statistics.unitsMax,
  )
  readGauge(registry, 'troupe_actors_cached', 'Actors in memory.', () => actors.statistics.cached)
  readGauge(registry, 'troupe_actors_busy', 'Actors that are processing a command.', () => actors.statistics.busy)
}
