/** All public statecharts. */
import { agentJobChart } from '../agent-job.ts'
import { alertChart } from '../alert.ts'
import { applyChart } from '../apply.ts'
import { deletionChart } from '../deletion.ts'
import { deliveryChart } from '../delivery.ts'
import { deploymentChart } from '../deployment.ts'
import { entityChart } from '../entity.ts'
import { environmentChart } from '../environment.ts'
import { integrationChart } from '../integration.ts'
import { operationInvocationChart } from '../operation-invocation.ts'
import { bulkActionChart } from '../run/bulk-action.ts'
import { subscriptionChart } from '../subscription.ts'
import { webhookRecoveryChart } from '../webhook-recovery.ts'
import { workerCallChart } from '../worker-call.ts'
import { workflowRunChart } from '../workflow-run.ts'
import type { Chart } from './chart.ts'
import { runChart } from './run.ts'

export const charts: readonly Chart[] = [
  runChart,
  environmentChart,
  deploymentChart,
  applyChart,
  deliveryChart,
  operationInvocationChart,
  workerCallChart,
  agentJobChart,
  workflowRunChart,
  deletionChart,
  integrationChart,
  entityChart,
  subscriptionChart,
  webhookRecoveryChart,
  alertChart,
  bulkActionChart,
]
