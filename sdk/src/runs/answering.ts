/** Functions that answer the interactive tool calls of a run. */
import type { Awaiting } from './events.ts'

/** A call of an interactive tool. */
export interface ToolCall {
  toolCallId: string
  toolName: string
  runId: string
  /** Aborts the wait for the run. */
  signal: AbortSignal | undefined
}

/** Answers calls of one tool; the model gets the returned value. */
export type ToolHandler<Input = never> = (input: Input, call: ToolCall) => unknown

/** Handlers by the name of their tool. */
export type ToolHandlers = Readonly<Record<string, ToolHandler>>

type PendingCall = Awaiting['pending'][number]

/** The result of a call, or its error, for the model. */
export async function resultOf(
  handler: ToolHandler<unknown>,
  call: PendingCall,
  context: Omit<ToolCall, 'toolCallId' | 'toolName'>,
) {
  try {
    const { toolCallId, toolName, input } = call
    return (await handler(input, { ...context, toolCallId, toolName })) ?? null
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
