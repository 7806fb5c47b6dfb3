/** Executes one tool call. Source: contract 5, "a tool call that can write finishes". */

import { isObject } from '../../../platform/json.ts'
import { SchemaFailure } from '../../../platform/json-schemas/check-result.ts'
import { checkValue } from '../../../platform/json-schemas/checks.ts'
import { type Interruption, interrupted, orInterrupted } from '../interruption.ts'
import type { Log } from '../log.ts'
import { type CallOutcome, isCallFailure, type OpenCall } from '../protocol/protocol.ts'
import { AwaitsServer, ToolError, type ToolExecutor } from './executor.ts'
import type { OfferedTool } from './toolbox.ts'

const messageCharactersMax = 2_000

/** A failed call with a message for the model. */
export function toolError(message: string, code = 'tool_error'): CallOutcome {
  const error = { code, message: message.slice(0, messageCharactersMax).toWellFormed() }
  return { error: isCallFailure(error) ? error : { ...error, code: 'tool_error' } }
}

/** The error for a call that cannot be executed: unknown tool or invalid input. null: it can. */
export async function refusalOf(
  call: OpenCall,
  tool: OfferedTool | undefined,
  organizationId: string,
): Promise<CallOutcome | null> {
  if (!tool) return toolError(`Unknown tool: ${call.toolName}.`)
  if (!isObject(call.input)) return toolError('The input is not valid: It must be an object.')
  try {
    const { problem } = await checkValue(tool.inputSchema, call.input, organizationId)
    return problem === null ? null : toolError(`The input is not valid: ${problem}`)
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error
    return toolError(`The input cannot be validated: ${error.message}`, error.code)
  }
}

/**
 * Executes the call. Any interruption aborts an idempotent tool; only the loss of the attempt aborts another. Never
 * throws: a tool's failure is its outcome.
 */
export async function execute(
  call: OpenCall,
  executor: ToolExecutor,
  { runId, interruption, log }: { runId: string; interruption: Interruption; log: Log },
): Promise<CallOutcome | AwaitsServer | typeof interrupted> {
  const { toolCallId, toolName } = call
  const signal = executor.idempotent ? interruption.signal : interruption.lossSignal
  try {
    const running = executor.execute(call.input as Record<string, unknown>, { signal, toolCallId, runId })
    const result = running instanceof Promise ? await orInterrupted(running, signal) : running
    if (result === interrupted || result instanceof AwaitsServer) return result
    return { result: asJson(result) }
  } catch (error) {
    // An attempt that cannot continue cannot report the outcome either.
    if (signal.aborted || interruption.isFatal) return interrupted
    if (error instanceof ToolError) return toolError(error.message, error.code)
    log.error({ err: error, runId, toolCallId, toolName }, 'a tool failed unexpectedly')
    return toolError('The tool failed unexpectedly.')
  }
}

/** The JSON form of a result. Throws if there is none. */
function asJson(result: unknown): unknown {
  if (result === undefined) return null
  return typeof result === 'object' ? JSON.parse(JSON.stringify(result) ?? 'null') : result
}
