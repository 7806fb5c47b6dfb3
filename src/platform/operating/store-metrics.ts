/** Metrics of the store and the actors: batch sizes of commits, actors in memory. */
import type { Registry } from 'prom-client'
import type { Store } from '../../../storage/store.ts'
import { Counter, Gauge } from './prometheus.ts'

/** The actors in memory, and how many of them are processing a command. */
interface ActorStatistics {
  cached: number
  busy: number
}

export function registerStoreMetrics(registry: Registry, store: Store, actors: { statistics: ActorStatistics }) {
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  counter('troupe_commits_total', 'Transactions of the group-commit writer.', () => store.statistics.transactions)
  counter(
    'troupe_commit_units_total',
    'Units of work in them; the ratio is the batch size.',
    () => store.statistics.units,
  )
  gauge('troupe_commit_units_max', 'Units of work in the largest transaction.', () => store.statistics.unitsMax)
  gauge('troupe_actors_cached', 'Actors in memory.', () => actors.statistics.cached)
  gauge('troupe_actors_busy', 'Actors that are processing a command.', () => actors.statistics.busy)
}
