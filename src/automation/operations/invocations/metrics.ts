/** Metrics of invocations: outcomes, running and awaiting approval. Source: contract 9. */
import type { Registry } from 'prom-client'
import { stateCounts } from '../../../../storage/state-counts.ts'
import type { Store } from '../../../../storage/store.ts'
import { Counter, readGauge } from '../../../platform/operating/prometheus.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { InvocationWork } from './invocation-work.ts'

interface InvocationMetricsParts {
  registry: Registry
  store: Store
  actors: Actors
  invocations: InvocationWork
}

const ends = ['succeeded', 'failed', 'rejected', 'unknown']

export function registerInvocationMetrics({ registry, store, actors, invocations }: InvocationMetricsParts): void {
  const registers = [registry]
  const ended = new Counter({
    name: 'troupe_operation_invocations_total',
    help: 'Operation invocations that have ended, by outcome.',
    labelNames: ['state'],
    registers,
  })
  for (const state of ends) ended.inc({ state }, 0)
  actors.subscribe({ kind: invocations.kind.kind }, ({ moves }) => {
    for (const { from, to: state } of moves) if (from !== state && ends.includes(state)) ended.inc({ state })
  })
  readGauge(
    registry,
    'troupe_operations_under_way',
    'Operations that this server is performing.',
    () => invocations.underWay,
  )
  readGauge(
    registry,
    'troupe_operation_approvals_pending',
    'Operations that await an approval.',
    async () => (await stateCounts(store, 'operation_invocations')).get('pending_approval') ?? 0,
  )
}
