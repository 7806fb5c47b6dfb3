/** All statecharts that are public: one line each. */
import { agentJobChart } from './agent-job-chart.ts'
import type { Chart } from './chart.ts'
import { deletionChart } from './deletion-chart.ts'
import { deliveryChart } from './delivery-chart.ts'
import { deploymentChart } from './deployment-chart.ts'
import { entityChart } from './entity-chart.ts'
import { environmentChart } from './environment-chart.ts'
import { integrationChart } from './integration-chart.ts'
import { operationInvocationChart } from './operation-invocation-chart.ts'
import { runChart } from './run-chart.ts'
import { subscriptionChart } from './subscription-chart.ts'
import { webhookRecoveryChart } from './webhook-recovery-chart.ts'
import { workflowRunChart } from './workflow-run-chart.ts'

export const charts: readonly Chart[] = [
  runChart,
  environmentChart,
  deploymentChart,
  deliveryChart,
  operationInvocationChart,
  agentJobChart,
  workflowRunChart,
  deletionChart,
  integrationChart,
  entityChart,
  subscriptionChart,
  webhookRecoveryChart,
]
