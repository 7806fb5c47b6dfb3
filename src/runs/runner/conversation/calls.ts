/** Tool calls of an attempt: requests, outcomes and error codes. Source: contract 5, "Runner protocol". */

export interface Failure {
  code: string
  message: string
}

/** The error codes of failed attempts. Source: contract 5, "Failure codes". */
export const failureCodes = [
  'provider_error',
  'provider_rate_limited',
  'invalid_model_output',
  'tool_error',
  'run_timeout',
  'lease_lost',
  'machine_unavailable',
  'attempts_exhausted',
  'binding_unavailable',
  'budget_exhausted',
  'internal_error',
] as const

/** The error codes of failed calls; with any other code the step ended with its attempt. */
export const callFailureCodes = [
  'tool_error',
  'binding_unavailable',
  'schema_too_costly',
  'schema_not_supported',
  'too_large',
  'tool_changed',
  'no_worker',
  'worker_lost',
  'timeout',
  'workflow_failed',
  'workflow_canceled',
  'workflow_too_deep',
] as const
export type CallFailureCode = (typeof callFailureCodes)[number]

export const isCallFailure = ({ code }: Failure): boolean => callFailureCodes.some((known) => known === code)

/** A tool call without a result in the messages. */
export interface OpenCall {
  toolCallId: string
  toolName: string
  input: unknown
}

/** An operation call. Its step has been started with the `toolCallId`. */
export interface OperationCall {
  /** The agent that has the tool. */
  agentId: string
  toolName: string
  toolCallId: string
  input: unknown
}

/** The outcome of a call: a result or an error. */
export type CallOutcome = { result: unknown } | { error: Failure }

/** A call that waits for a person's approval. The server reports its outcome to the run; the runner does not wait. */
export interface AwaitedApproval {
  awaiting: 'approval'
  invocationId: string
  approvalId: string
}

/** A call that waits for the run of another Agent, in the same way. */
interface AwaitedAgentRun {
  awaiting: 'agentRun'
  invocationId: string
}

/** The same for a call that may wait for a worker longer than a run keeps its slot. */
interface AwaitedWorker {
  awaiting: 'worker'
  invocationId: string
}

/** The same for a call that waits for the run of a workflow. */
interface AwaitedWorkflow {
  awaiting: 'workflow'
  workflowRunId: string
}

/** The server's answer to the call of an operation or a workflow. */
export type CallAnswer = CallOutcome | AwaitedApproval | AwaitedAgentRun | AwaitedWorker | AwaitedWorkflow

/** The outcome of an earlier attempt's tool call, which is used instead of repeating the call. */
export interface SettledCall {
  toolCallId: string
  outcome: CallOutcome
}
