/**
 * Reads the query of a continue as the results of pending tool calls: JSON or text is the result of the only call;
 * `{"toolResults": [{toolCallId, result}]}` names several. Source: contract 5.
 */
import type { PendingInput } from '../../../machines/run.ts'
import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import { structuralFault } from '../../platform/http/body/duplicates.ts'
import { isObject } from '../../platform/json.ts'

export interface ToolResult {
  toolCallId: string
  result: unknown
}

const refuse = (message: string) => invalid([{ path: '/body/query', message }])

function parse(query: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(query)
  } catch {
    return query
  }
  const fault = structuralFault(query)
  if (fault) throw refuse(fault)
  return value
}

const namesCall = (item: unknown): item is Record<string, unknown> =>
  isObject(item) && typeof item.toolCallId === 'string'
const isResult = (item: unknown) => namesCall(item) && 'result' in item

/** The list of a query of the form `{"toolResults": […]}`, some items of which name a call; else undefined. */
function list(value: unknown): unknown[] | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1 || !Array.isArray(value.toolResults)) return undefined
  return value.toolResults.some(namesCall) ? value.toolResults : undefined
}

/** Throws 422 with the place of each item that is not `{toolCallId, result}`. */
function assertResults(items: readonly unknown[]): asserts items is ToolResult[] {
  const issues = items.flatMap((item, index): Issue[] =>
    isResult(item)
      ? []
      : [
          {
            path: `/body/query/toolResults/${index}`,
            message: 'Must be {"toolCallId", "result"}; a result may be null.',
          },
        ],
  )
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
}

/** Throws 422 if the query names results of calls that the run no longer awaits: it would be taken for a message. */
export function assertNoResults(query: string | null | undefined): void {
  if (!query?.includes('"toolResults"')) return
  let value: unknown
  try {
    value = JSON.parse(query)
  } catch {
    return
  }
  if (list(value)?.every(isResult))
    throw refuse('The run waits for no tool call: it was canceled or goes on without these results.')
}

/** The results in the query, by pending call. Throws 422 if it names none of the calls, an unknown one, or no result. */
export function toolResults(query: string, pending: readonly Pick<PendingInput, 'toolCallId'>[]): ToolResult[] {
  const value = parse(query)
  const results = list(value)
  const [only] = pending
  if (!results) {
    if (only && pending.length === 1) return [{ toolCallId: only.toolCallId, result: value }]
    throw refuse('Several tool calls are pending; answer with {"toolResults": [{"toolCallId", "result"}]}.')
  }
  assertResults(results)
  const issues: Issue[] = []
  const seen = new Set<string>()
  for (const [index, { toolCallId }] of results.entries()) {
    const path = `/body/query/toolResults/${index}/toolCallId`
    if (seen.has(toolCallId)) issues.push({ path, message: 'Duplicate toolCallId.' })
    else if (!pending.some((call) => call.toolCallId === toolCallId))
      issues.push({ path, message: 'Must be a pending tool call.' })
    seen.add(toolCallId)
  }
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
  return results.map(({ toolCallId, result }) => ({ toolCallId, result }))
}
