/** Automation without HTTP: operations and what carries them out, workflows and jobs. */
import type { Store } from '../../storage/store.ts'
import type { Bundles } from '../delivery/deployments/bundles.ts'
import type { Clock } from '../platform/time/clock.ts'
import { JobWork } from './agent-jobs/ticks.ts'
import { EntityExecutor } from './entities/entity-executor.ts'
import { AgentCalls } from './operations/agent-calls.ts'
import { type HttpCallParts, HttpCalls } from './operations/http-calls.ts'
import { InvocationWork } from './operations/invocations/invocation-work.ts'
import { Operations } from './operations/operations.ts'
import { WorkflowWork } from './workflows/workflow-work.ts'

export interface OpenAutomationParts {
  store: Store
  clock: Clock
  bundles: Bundles
  /** What operations that call over HTTP are made with. */
  http: Omit<HttpCallParts, 'store'>
  approvalTtlMs: number
  onError(error: unknown, what: string): void
}

export function openAutomation({ store, clock, bundles, http, approvalTtlMs, onError }: OpenAutomationParts) {
  const entities = new EntityExecutor({ store, clock })
  const agentCalls = new AgentCalls()
  const invocations = new InvocationWork({
    store,
    clock,
    limits: { approvalTtlMs },
    bundles,
    operations: new Operations({ http: new HttpCalls({ store, ...http }), agents: agentCalls, entities }),
    onError,
  })
  return {
    entities,
    agentCalls,
    invocations,
    jobWork: new JobWork({ store, clock }),
    workflowWork: new WorkflowWork({ store, bundles }),
  }
}
