/** The interface of invocations for their callers. Source: contract 6, `OperationInvocation`. */
import type { InvocationState } from '../../../../machines/operation-invocation.ts'
import type { Cause } from '../../../../machines/words.ts'
import type { BundledAgent } from '../../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../../delivery/deployments/bundles.ts'
import type { TraceContext } from '../../../platform/tracing/trace-context.ts'
import type { By } from '../../../runtime/kind.ts'

import type { Withdrawn } from './unwanted-calls.ts'

/** The origin of an invocation. A call of a run, or an attempt of a workflow step, is made only once. */
export type Origin =
  | { type: 'api' }
  | { type: 'run'; agentRunId: string; toolCallId: string }
  | { type: 'workflow'; workflowRunId: string; stepId: string; attempt: number }

export interface NewInvocation {
  bundle: DeployedBundle
  /** The Agent whose grants, bindings and variables apply. */
  agent: BundledAgent
  /** `<definition>.<operation>` */
  operation: string
  input: unknown
  by: By
  origin: Origin
  /** The span of the run's step or workflow run that makes the call; omitted: none. */
  above?: TraceContext | null
}

/** The progress of an invocation. */
export interface InvocationProgress {
  id: string
  state: InvocationState
  output: unknown
  error: Cause | null
  /** The approval, if it needs or needed one. */
  approvalId: string | null
}

export interface Invocations {
  /**
   * Starts the invocation, or finds the earlier one of the same origin; returns as soon as it is stored. Throws
   * `OperationFailure`, without storing anything, for an unknown operation, a missing grant or invalid input.
   */
  begin(invocation: NewInvocation): Promise<InvocationProgress>
  /** Waits until it has ended or awaits an approval. Rejects with the signal's reason. */
  settled(id: string, signal: AbortSignal): Promise<InvocationProgress>
  /**
   * Cancels this origin's invocations that await approval and are no longer wanted, or those of these attempts; they
   * never run.
   */
  withdraw(origin: Withdrawn): Promise<void>
}
