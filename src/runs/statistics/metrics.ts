/** Metrics of runs: counts by state, queue delay, lost leases. */
import type { Registry } from 'prom-client'
import { oldestQueued } from '../../../storage/runs/run-queue.ts'
import { stateCounts } from '../../../storage/state-counts.ts'
import type { Store } from '../../../storage/store.ts'
import { Counter, Gauge, readCounter, readGauge } from '../../platform/operating/prometheus.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Attempts } from '../attempts/attempts.ts'

interface RunMetricsParts {
  registry: Registry
  store: Store
  actors: Actors
  attempts: Attempts
  clock: Clock
}

export function registerRunMetrics({ registry, store, actors, attempts, clock }: RunMetricsParts) {
  const registers = [registry]
  /**
   * By state left and state entered. Kept outside the registry, where counting costs some microseconds for each
   * transition.
   */
  const made = new Map<string | null, Map<string, number>>()
  actors.subscribe({ kind: 'run' }, ({ moves }) => {
    for (const { from, to } of moves) {
      if (from === to) continue
      const counts = made.get(from) ?? new Map<string, number>()
      if (counts.size === 0) made.set(from, counts)
      counts.set(to, (counts.get(to) ?? 0) + 1)
    }
  })
  new Counter({
    name: 'troupe_run_transitions_total',
    help: 'Transitions of runs, by source and target state.',
    labelNames: ['from', 'to'],
    registers,
    collect() {
      this.reset()
      for (const [from, counts] of made) for (const [to, count] of counts) this.inc({ from: from ?? 'none', to }, count)
    },
  })
  new Gauge({
    name: 'troupe_runs',
    help: 'Stored runs by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await stateCounts(store, 'runs')
      for (const state of actors.table('run').states) this.set({ state }, counts.get(state) ?? 0)
    },
  })
  readGauge(
    registry,
    'troupe_run_queue_age_seconds',
    'How long the longest-waiting queued run has been available.',
    async () => {
      const since = (await store.first(oldestQueued(store, {})))?.available_at ?? null
      return since === null ? 0 : Math.max(0, clock.now() - since) / 1_000
    },
  )
  readCounter(
    registry,
    'troupe_lease_losses_total',
    'Attempts that ended because their lease was lost.',
    () => attempts.lost,
  )
  readGauge(registry, 'troupe_attempts', 'Attempts in progress on this server.', () => attempts.sessions.size)
  readGauge(
    registry,
    'troupe_runners_waiting',
    'External runners that wait for a run on this server.',
    () => attempts.leasing.waitingRunners,
  )
}
