/** The calls of an attempt: what a model asked for, how it ended, and with which codes. Source: contract 5, "Runner protocol". */

export interface Failure {
  code: string
  message: string
}

/** Why an attempt, and with it perhaps the run, has failed. Source: contract 5, "Failure codes". */
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

/** The failures that a call can have of itself; with any other code its step ended because the attempt did. */
export const callFailureCodes = [
  'tool_error',
  'binding_unavailable',
  'schema_too_costly',
  'schema_not_supported',
  'too_large',
] as const
export type CallFailureCode = (typeof callFailureCodes)[number]

export const isCallFailure = ({ code }: Failure): boolean => callFailureCodes.some((known) => known === code)

/** A tool call that the model has asked for and that has no result in the messages yet. */
export interface OpenCall {
  toolCallId: string
  toolName: string
  input: unknown
}

/** A call of an operation. Its step has been started, with the `toolCallId`. */
export interface OperationCall {
  /** The agent that the tool belongs to. */
  agentId: string
  toolName: string
  toolCallId: string
  input: unknown
}

/** How a call ended: its result, or why there is none. */
export type CallOutcome = { result: unknown } | { error: Failure }

/** A call that waits for the approval of a person. The run is told how it ends, and the runner has nothing to wait for. */
export interface AwaitedApproval {
  awaiting: 'approval'
  invocationId: string
  approvalId: string
}

/** A call that waits for the run of another Agent. The same. */
export interface AwaitedAgentRun {
  awaiting: 'agentRun'
  invocationId: string
}

/** What the server answers to a call of an operation. */
export type CallAnswer = CallOutcome | AwaitedApproval | AwaitedAgentRun

/** How a tool call of an earlier attempt ended: its result is used, the call is never made again. */
export interface SettledCall {
  toolCallId: string
  outcome: CallOutcome
}
