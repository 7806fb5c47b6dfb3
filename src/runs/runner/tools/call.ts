/** One call of a tool that the runner carries out. Source: contract 5, "a tool call that can write finishes". */
import { checkValue } from '../../../platform/json-schemas/checks.ts'
import { SchemaFailure } from '../../../platform/json-schemas/verdict.ts'
import { type Interruption, interrupted, orInterrupted } from '../interruption.ts'
import type { Log } from '../log.ts'
import { type CallOutcome, isCallFailure, type OpenCall } from '../protocol/protocol.ts'
import { AwaitsInvocation, ToolError, type ToolExecutor } from './executor.ts'
import type { OfferedTool } from './toolbox.ts'

const messageCharactersMax = 2_000

/** A failure of a call, with words for the model. */
export function toolError(message: string, code = 'tool_error'): CallOutcome {
  const error = { code, message: message.slice(0, messageCharactersMax).toWellFormed() }
  return { error: isCallFailure(error) ? error : { ...error, code: 'tool_error' } }
}

/** What the model is told when its call cannot be made: no such tool, or an input that does not fit. Null: it can. */
export async function refusalOf(
  call: OpenCall,
  tool: OfferedTool | undefined,
  organizationId: string,
): Promise<CallOutcome | null> {
  if (!tool) return toolError(`There is no tool named ${call.toolName}.`)
  if (!isObject(call.input)) return toolError('The input is not valid: It must be an object.')
  try {
    const { problem } = await checkValue(tool.inputSchema, call.input, organizationId)
    return problem === null ? null : toolError(`The input is not valid: ${problem}`)
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error
    return toolError(`The input cannot be checked: ${error.message}`, error.code)
  }
}

/**
 * Makes the call. A tool that is idempotent is aborted by any interruption, one that is not only by the attempt's loss.
 * Never throws: a tool's failure is its outcome.
 */
export async function execute(
  call: OpenCall,
  executor: ToolExecutor,
  { runId, interruption, log }: { runId: string; interruption: Interruption; log: Log },
): Promise<CallOutcome | AwaitsInvocation | typeof interrupted> {
  const { toolCallId, toolName } = call
  const signal = executor.idempotent ? interruption.signal : interruption.lossSignal
  try {
    const running = executor.execute(call.input as Record<string, unknown>, { signal, toolCallId, runId })
    const result = running instanceof Promise ? await orInterrupted(running, signal) : running
    if (result === interrupted || result instanceof AwaitsInvocation) return result
    return { result: asJson(result) }
  } catch (error) {
    // An attempt that cannot go on cannot say how a call of it went, either.
    if (signal.aborted || interruption.isFatal) return interrupted
    if (error instanceof ToolError) return toolError(error.message, error.code)
    log.error({ err: error, runId, toolCallId, toolName }, 'a tool failed unexpectedly')
    return toolError('The tool failed unexpectedly.')
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What JSON makes of a result. Throws when it cannot be JSON. */
function asJson(result: unknown): unknown {
  if (result === undefined) return null
  return typeof result === 'object' ? JSON.parse(JSON.stringify(result) ?? 'null') : result
}
