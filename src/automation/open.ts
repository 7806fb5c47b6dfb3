/** Automation without HTTP: operations and their handlers, workflows and jobs. */
import type { Store } from '../../storage/store.ts'
import type { Bundles } from '../delivery/deployments/bundles.ts'
import type { Hints } from '../platform/bus/hints.ts'
import type { Members } from '../platform/members/members.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import type { RunStarts } from '../runs/admission/start.ts'
import type { Actors } from '../runtime/actors.ts'
import { JobWork } from './agent-jobs/ticks.ts'
import { EntityExecutor } from './entities/entity-executor.ts'
import { McpCalls } from './mcp/mcp-calls.ts'
import { AgentCalls } from './operations/agent-calls.ts'
import { type HttpCallParts, HttpCalls } from './operations/http-calls.ts'
import { InvocationTraces } from './operations/invocations/invocation-traces.ts'
import { InvocationWork } from './operations/invocations/invocation-work.ts'
import { Operations } from './operations/operations.ts'
import { ToolCalls } from './operations/tool-calls.ts'
import { callsOfRuns } from './tools/calls-of-runs.ts'
import { WorkflowCalls } from './tools/workflow-calls.ts'
import { WorkerService } from './workers/service.ts'
import { WorkerCalls } from './workers/worker-calls.ts'
import { WorkflowAccess } from './workflows/access.ts'
import { WorkflowStarts } from './workflows/start.ts'
import { WorkflowTraces } from './workflows/workflow-traces.ts'
import { WorkflowWork } from './workflows/workflow-work.ts'

interface OpenAutomationParts {
  store: Store
  clock: Clock
  actors: Actors
  hints: Hints
  /** Starts the runs of Agents: those of jobs, and of operations that run an Agent. */
  starts: RunStarts
  bundles: Bundles
  /** Dependencies of operations over HTTP. */
  http: Omit<HttpCallParts, 'store'>
  approvalTtlMs: number
  workerLeaseMs: number
  /** null: traces are disabled. */
  tracing: Tracing | null
  members: Members
  onError(error: unknown, what: string): void
}

export function openAutomation(parts: OpenAutomationParts) {
  const {
    store,
    clock,
    actors,
    hints,
    starts,
    bundles,
    http,
    approvalTtlMs,
    workerLeaseMs,
    members,
    tracing,
    onError,
  } = parts
  const performer = members.id
  const limits = { leaseMs: workerLeaseMs }
  const workerCalls = new WorkerCalls({ store, clock, actors, hints, limits, performer, onError })
  const operations = new Operations({
    http: new HttpCalls({ store, ...http }),
    mcp: new McpCalls({ store, ...http }),
    workers: workerCalls,
    agents: new AgentCalls({ store, actors, starts, performer }),
    entities: new EntityExecutor({ store, clock, actors }),
  })
  const invocations = new InvocationWork({
    store,
    clock,
    actors,
    hints,
    limits: { approvalTtlMs },
    bundles,
    operations,
    traces: tracing && new InvocationTraces(tracing),
    members,
    onError,
  })
  const workflowCalls = new WorkflowCalls({ store, clock, actors })
  const access = new WorkflowAccess(store)
  const workflowStarts = new WorkflowStarts({ store, clock, actors, bundles, access, tracing })
  return {
    invocations,
    workerCalls,
    workers: new WorkerService({
      store,
      clock,
      actors,
      bundles,
      operations,
      queues: workerCalls.queues,
      onError,
    }),
    workflowCalls,
    toolCalls: new ToolCalls({ bundles, invocations, workflows: workflowCalls }),
    calls: callsOfRuns(invocations, workflowCalls),
    workflowStarts,
    jobWork: new JobWork({ store, clock, actors, starts, workflowStarts }),
    workflowWork: new WorkflowWork({
      store,
      clock,
      actors,
      bundles,
      invocations,
      traces: tracing && new WorkflowTraces(tracing),
      tellRun: (id) => workflowCalls.notify(id),
    }),
  }
}
