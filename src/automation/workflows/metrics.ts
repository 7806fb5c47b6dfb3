/** Metrics of workflows. Source: contract 9, "`GET /metrics`". */
import type { Registry } from 'prom-client'
import { workflowRunStates } from '../../../machines/workflow-run.ts'
import { Counter } from '../../platform/operating/prometheus.ts'
import type { Actors } from '../../runtime/actors.ts'

export function registerWorkflowMetrics({ registry, actors }: { registry: Registry; actors: Actors }): void {
  const moves = new Counter({
    name: 'troupe_workflow_run_moves_total',
    help: 'Workflow runs that entered a state, by state.',
    labelNames: ['state'],
    registers: [registry],
  })
  for (const state of workflowRunStates) moves.inc({ state }, 0)
  actors.subscribe({ kind: 'workflow-run' }, ({ moves: made }) => {
    for (const { from, to } of made) if (from !== to) moves.inc({ state: to })
  })
}
