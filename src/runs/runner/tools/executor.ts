/** Tools that the runner carries out, by itself or by having the server call an operation. */
import type { AgentDelegate, AgentTool, AssignedAgent } from '../protocol/protocol.ts'

export interface ToolContext {
  /** Fires when the call is to be aborted. For a tool that is not idempotent: only when the attempt is lost. */
  signal: AbortSignal
  /** Unique within the run, and the same when the call is made again. */
  toolCallId: string
  runId: string
}

export interface ToolExecutor {
  /** Whether twice is as good as once: such a call may be aborted, and made again after a crash. */
  readonly idempotent: boolean
  /** For the model. */
  readonly description: string
  /** JSON Schema of an object; inputs that do not match never reach `execute`. */
  readonly inputSchema: Record<string, unknown>
  /** The result, as JSON, or `AwaitsInvocation`. Throws `ToolError` for what the model is to be told. */
  execute(input: Record<string, unknown>, context: ToolContext): unknown
}

/** The result of a call that waits for the approval of a person, or for the run of another Agent. */
export class AwaitsInvocation {
  constructor(readonly ids: { invocationId: string; approvalId?: string }) {}
}

/** Finds what carries out a tool or a delegate of an agent; undefined when this runner has nothing that does. */
export interface ToolExecutors {
  find(tool: AgentTool | AgentDelegate, agent: AssignedAgent): ToolExecutor | undefined
}

/** A tool's failure, in words for the model; nothing secret. */
export class ToolError extends Error {
  override readonly name = 'ToolError'

  constructor(
    message: string,
    /** One of the codes that a call can fail with; any other counts as `tool_error`. */
    readonly code: string = 'tool_error',
  ) {
    super(message)
  }
}
