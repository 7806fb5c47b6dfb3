/** The output of a run. Source: contract 3, `outputSchema`; contract 5, `invalid_model_output`. */

import { SchemaFailure } from '../../../platform/json-schemas/check-result.ts'
import { checkValue } from '../../../platform/json-schemas/checks.ts'

type Schema = Record<string, unknown>

/** Instructions added to the agent's, so that the answer matches the schema. */
export const outputInstructions = (schema: Schema) =>
  `\n\nYour final answer must be a single JSON value without any other text. It must match this JSON Schema:\n${JSON.stringify(schema)}`

const fence = '```'

/**
 * Extracts the content of a fenced code block; other text is returned unchanged. Linear time: an answer may be
 * megabytes.
 */
function withoutFence(text: string): string {
  const lineEnd = text.indexOf('\n')
  if (lineEnd === -1 || !text.startsWith(fence) || !text.endsWith(fence)) return text
  const language = text.slice(fence.length, lineEnd).trim()
  return language === '' || language === 'json' ? text.slice(lineEnd, -fence.length) : text
}

/** Parses an answer and validates it against the schema, or returns the problem. */
export async function readOutput(
  answer: string,
  schema: Schema,
  organizationId: string,
): Promise<{ value: unknown } | { problem: string }> {
  const text = answer.trim()
  let value: unknown
  try {
    value = JSON.parse(withoutFence(text))
  } catch {
    return { problem: 'The answer is not JSON.' }
  }
  try {
    const { problem } = await checkValue(schema, value, organizationId)
    return problem === null ? { value } : { problem: `The answer does not match the output schema: ${problem}` }
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error
    return { problem: `The answer cannot be validated against the output schema: ${error.message}` }
  }
}
