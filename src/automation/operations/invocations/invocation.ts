/** One invocation of an operation, as its callers name it and hear of it. Source: contract 6, `OperationInvocation`. */
import type { InvocationState } from '../../../../machines/operation-invocation.ts'
import type { Cause } from '../../../../machines/words.ts'
import type { BundledAgent } from '../../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../../delivery/deployments/bundles.ts'
import type { By } from '../../../runtime/kind.ts'

export type { InvocationState } from '../../../../machines/operation-invocation.ts'

/** Where an invocation comes from. A call of a run and an attempt of a workflow's step are made once, however often they are asked for. */
export type Origin =
  | { type: 'api' }
  | { type: 'run'; agentRunId: string; toolCallId: string }
  | { type: 'workflow'; workflowRunId: string; stepId: string; attempt: number }

export interface NewInvocation {
  bundle: DeployedBundle
  /** On whose behalf: the grants, bindings and variables are this Agent's. */
  agent: BundledAgent
  /** `<definition>.<operation>` */
  operation: string
  input: unknown
  by: By
  origin: Origin
}

/** How far an invocation has come. */
export interface InvocationProgress {
  id: string
  state: InvocationState
  output: unknown
  error: Cause | null
  /** While it waits for one, and after. */
  approvalId: string | null
}

/** What callers ask of invocations. */
export interface Invocations {
  /**
   * Begins the invocation, or finds the one that the same origin began before; answers as soon as that is stored. Throws
   * `OperationFailure` for an operation that there is not, that is not granted, or that takes no such input: nothing is
   * stored then.
   */
  begin(invocation: NewInvocation): Promise<InvocationProgress>
  /** Waits until it has ended or waits for an approval. Rejects with the reason of the signal. */
  settled(id: string, signal: AbortSignal): Promise<InvocationProgress>
  /** Ends those of this origin that wait for an approval: it is `canceled`, and they never run. */
  withdraw(origin: { agentRunId: string } | { workflowRunId: string }): Promise<void>
}
