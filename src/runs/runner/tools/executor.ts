/** Tools that the runner executes, itself or through the server's operations. */
import type { PendingInput } from '../../../../machines/run.ts'
import type { AgentDelegate, AgentTool, AssignedAgent } from '../protocol/protocol.ts'

export interface ToolContext {
  /** Aborts the call. For a non-idempotent tool: only when the attempt is lost. */
  signal: AbortSignal
  /** Unique within the run; the same for a repeated call. */
  toolCallId: string
  runId: string
}

export interface ToolExecutor {
  /** Whether a call may be aborted, and repeated after a crash. */
  readonly idempotent: boolean
  /** The description for the model. */
  readonly description: string
  /** The JSON Schema of the input, of type object; invalid inputs never reach `execute`. */
  readonly inputSchema: Record<string, unknown>
  /** Returns the JSON result or `AwaitsServer`. Throws `ToolError` with a message for the model. */
  execute(input: Record<string, unknown>, context: ToolContext): unknown
}

/** The result of a call whose outcome the server reports: of an approval, another Agent's run, a worker or a workflow. */
export class AwaitsServer {
  constructor(readonly ids: Pick<PendingInput, 'invocationId' | 'approvalId' | 'waitsFor' | 'workflowRunId'>) {}
}

/** Finds the executor of an agent's tool or delegate; undefined if this runner has none. */
export interface ToolExecutors {
  find(tool: AgentTool | AgentDelegate, agent: AssignedAgent): ToolExecutor | undefined
}

/** A tool's failure with a message for the model, without secrets. */
export class ToolError extends Error {
  override readonly name = 'ToolError'

  constructor(
    message: string,
    /** An error code of calls; any other is treated as `tool_error`. */
    readonly code: string = 'tool_error',
  ) {
    super(message)
  }
}
